-- One row for each job that runs by the clock; the node that moves `due` on runs it.
create table scheduled_job (
  name text primary key,
  due timestamptz not null,
  runs bigint not null default 0
);
