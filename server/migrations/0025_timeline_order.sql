-- outside a transaction
-- A page of a timeline reads no more of a long log than it shows.
drop index concurrently if exists run_time_commit_in_order;
create index concurrently run_time_commit_in_order on run_time_commit (tenant_id, enroll_id, committed_at, number, launch);
drop index concurrently if exists audit_entry_of_event;
create index concurrently audit_entry_of_event on audit_entry (tenant_id, event_id) where event_id is not null;
