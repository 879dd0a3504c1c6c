-- outside a transaction
-- What has expired, and what has not ended, is found without passing over a user's other sessions and links.
drop index concurrently if exists user_session_by_end;
create index concurrently user_session_by_end on user_session (tenant_id, user_id, expires_at);
drop index concurrently if exists user_session_open;
create index concurrently user_session_open on user_session (tenant_id, user_id, signed_in_at) where ended_at is null;
drop index concurrently if exists sign_in_link_by_end;
create index concurrently sign_in_link_by_end on sign_in_link (tenant_id, user_id, expires_at);
drop index concurrently if exists user_session_by_hash;
create index concurrently user_session_by_hash on user_session (tenant_id, user_id, session_hash);
-- These have the same beginning.
drop index concurrently if exists user_session_of_user;
drop index concurrently if exists sign_in_link_of_user;
