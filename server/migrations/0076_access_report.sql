-- Access that ends soon, by course and group: docs/adr/0099-access-report.md.

-- How far the log of a tenant has been counted for access_end. enroll_id: as in completion_log.
create table access_log (
  tenant_id text primary key references tenant,
  position bigint not null,
  enroll_id uuid
);

-- The open enrolments with an end date (neither completed nor ended), as they were last counted. day: on which access
-- ends (UTC). An empty group_name means no group.
create table counted_end (
  tenant_id text not null references tenant,
  enroll_id uuid not null,
  group_name text collate "C" not null,
  day date not null,
  primary key (tenant_id, enroll_id)
);

-- How many of them end on each day, for each line of completion_line.
create table access_end (
  tenant_id text not null references tenant,
  kind text not null,
  course_id text collate "C" not null,
  group_name text collate "C" not null,
  day date not null,
  enrolments integer not null,
  primary key (tenant_id, kind, course_id, group_name, day)
);

-- Not validated, because the former constraint allowed less.
set local lock_timeout = '5s';
alter table report_schedule drop constraint report_schedule_report_check;
alter table report_schedule add constraint report_schedule_report_check check (report in ('completion', 'activity', 'access')) not valid;
