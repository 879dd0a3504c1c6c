-- Citus would convert report_schedule, and then reject the references of report_recipient. The service distributes both afterwards.
set local citus.enable_local_reference_table_foreign_keys = off;
-- Activity by course and group, and reports on a schedule: docs/adr/0090-scheduled-reports.md.

-- How far the log of a tenant has been counted for activity_day.
create table activity_log (
  tenant_id text primary key references tenant,
  position bigint not null
);

-- What happened on each day (UTC), by course, by group, by both, and in total. kind: 'total', 'course', 'group',
-- 'course_and_group'. What a kind does not have is empty, and so is group_name for users without a group. Replaces
-- day_count and counted_log, which only earlier versions still use.
create table activity_day (
  tenant_id text not null references tenant,
  kind text not null,
  course_id text collate "C" not null,
  group_name text collate "C" not null,
  day date not null,
  enrolments integer not null,
  starts integer not null,
  launches integer not null,
  completions integer not null,
  passed integer not null,
  failed integer not null,
  expired integer not null,
  withdrawn integer not null,
  primary key (tenant_id, kind, course_id, group_name, day)
);

-- Reports on a schedule. every: 'day', 'week', 'month'; weekday: 1 is Monday. next_run_at: null while paused. attempts:
-- of the run that is due, after failures.
create table report_schedule (
  tenant_id text not null references tenant,
  schedule_id uuid not null,
  name text not null,
  report text not null check (report in ('completion', 'activity')),
  by text check (by in ('course', 'group', 'course_and_group', 'total')),
  unit text check (unit in ('day', 'week', 'month')),
  days integer,
  course_id text,
  group_name text,
  every text not null check (every in ('day', 'week', 'month')),
  weekday smallint,
  month_day smallint,
  time text not null,
  time_zone text not null,
  delivery text not null check (delivery in ('email', 'webhook')),
  status text not null check (status in ('active', 'paused')),
  next_run_at timestamptz,
  attempts integer not null default 0,
  last_run_at timestamptz,
  last_problem text check (last_problem in ('no_recipients', 'mail_not_configured', 'unavailable', 'time_zone', 'failed')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, schedule_id)
);
create index report_schedule_due on report_schedule (next_run_at) where next_run_at is not null;

-- The administrators who get a report by email.
create table report_recipient (
  tenant_id text not null,
  schedule_id uuid not null,
  user_id uuid not null,
  primary key (tenant_id, schedule_id, user_id),
  foreign key (tenant_id, schedule_id) references report_schedule on delete cascade,
  foreign key (tenant_id, user_id) references "user" on delete cascade
);
create index report_recipient_of_user on report_recipient (tenant_id, user_id);
