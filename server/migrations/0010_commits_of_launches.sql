-- The newest commit that an attempt and its units come from: of two, the one of the later launch, then of the higher number.
alter table attempt add column launch integer not null default 0, add column commit_number integer not null default 0;
alter table attempt_unit add column launch integer not null default 0;

-- The number of the commit with which the learner left. Later ones are refused.
alter table launch add column exit_number integer;

-- The code with which a commit was refused; null: it counts.
alter table run_time_commit add column refused text;
