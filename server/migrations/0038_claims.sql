-- The result that a page claimed for the course without support by its data.
alter table run_time_commit add column claimed jsonb;
