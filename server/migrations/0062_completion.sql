-- Completion by course and group, counted from the event log: docs/adr/0085-reports.md.

-- How far the log of a tenant has been counted. enroll_id: the next event changed a user's group, and the user's
-- enrolments have been moved up to this one.
create table completion_log (
  tenant_id text primary key references tenant,
  position bigint not null,
  enroll_id uuid
);

-- How each enrolment was last counted. An empty group_name means no group. status 'erased': it no longer counts.
create table counted_enrolment (
  tenant_id text not null references tenant,
  enroll_id uuid not null,
  group_name text collate "C" not null,
  status text not null,
  success text not null,
  primary key (tenant_id, enroll_id)
);

-- The lines of the reports. kind: 'total', 'course', 'group', 'course_and_group'. What a kind does not have is empty.
create table completion_line (
  tenant_id text not null references tenant,
  kind text not null,
  course_id text collate "C" not null,
  group_name text collate "C" not null,
  primary key (tenant_id, kind, course_id, group_name)
);
create index completion_line_of_group on completion_line (tenant_id, kind, group_name, course_id);

-- The figures of a line at the end of each day (UTC) on which they changed.
create table completion_day (
  tenant_id text not null references tenant,
  kind text not null,
  course_id text collate "C" not null,
  group_name text collate "C" not null,
  day date not null,
  enrolled integer not null,
  in_progress integer not null,
  completed integer not null,
  expired integer not null,
  withdrawn integer not null,
  passed integer not null,
  failed integer not null,
  primary key (tenant_id, kind, course_id, group_name, day)
);
