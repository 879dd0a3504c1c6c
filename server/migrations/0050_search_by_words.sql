-- outside a transaction
-- Searches use user_word.
drop index concurrently if exists user_by_last_name;
drop index concurrently if exists user_by_first_name;
