-- The statements that insert a commit lock its enrolment first, so this key only repeated their check.
alter table run_time_commit drop constraint run_time_commit_tenant_id_enroll_id_fkey;
