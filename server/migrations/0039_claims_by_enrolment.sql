-- outside a transaction
-- GET /enrolment/{LoginID}/{EnrollID}/explain shows the latest claims.
drop index concurrently if exists run_time_commit_claimed;
create index concurrently run_time_commit_claimed on run_time_commit (tenant_id, enroll_id, committed_at)
  where claimed is not null;
