-- outside a transaction
-- An erasure finds the answers to requests that name the person.
drop index concurrently if exists stored_answer_about;
create index concurrently stored_answer_about on stored_answer (tenant_id, about) where about is not null;
