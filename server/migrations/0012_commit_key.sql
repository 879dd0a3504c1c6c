alter table run_time_commit drop constraint run_time_commit_pkey;
alter table run_time_commit add constraint run_time_commit_pkey primary key using index run_time_commit_by_launch;
