-- How many days before access ends learners are reminded. An empty list means never.
alter table tenant add column reminder_days integer[] not null default '{14,3}';

-- When the end was last moved; null if it still is the one that follows from the option.
alter table enrolment add column end_set_at timestamptz;

-- How far the ends of a tenant's enrolments have been searched for a reminder of so many days: up to this end and enrolment.
create table reminder_progress (
  tenant_id text not null,
  days integer not null,
  ends_at timestamptz not null,
  enroll_id uuid not null,
  primary key (tenant_id, days)
);
