-- A user belongs to one tenant. Without this, PostgreSQL expects one enrolment per user, and may look for an enrolment
-- by course in all of the user's enrolments.
-- The lock blocks no reads or writes. It may have to wait for an autovacuum, which PostgreSQL usually cancels after a
-- second.
set local lock_timeout = '5s';
create statistics enrolment_of_users (dependencies) on tenant_id, user_id from enrolment;
analyze enrolment;
