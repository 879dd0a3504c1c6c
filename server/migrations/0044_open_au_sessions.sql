-- outside a transaction
-- Opening a unit abandons the open session of the enrolment, however many it had before.
drop index concurrently if exists au_session_open;
create index concurrently au_session_open on au_session (tenant_id, enroll_id) where ended_at is null;
