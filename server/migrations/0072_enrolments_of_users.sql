-- A user belongs to one tenant. Without this, PostgreSQL expects one enrolment per user, and may look for an enrolment
-- by course in all of the user's enrolments.
create statistics enrolment_of_users (dependencies) on tenant_id, user_id from enrolment;
analyze enrolment;
