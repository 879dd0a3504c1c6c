-- outside a transaction
-- Two launches may use the same numbers: one offline, the other at the same time on another device.
drop index concurrently if exists run_time_commit_by_launch;
create unique index concurrently run_time_commit_by_launch on run_time_commit (tenant_id, enroll_id, launch, number);
