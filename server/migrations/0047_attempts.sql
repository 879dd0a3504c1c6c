-- The rules for attempts: those of an option are copied when a user is enrolled. Null: the enrolment has one attempt,
-- which stays open.
alter table enrol_option add column attempts jsonb;
alter table enrolment add column attempt_rules jsonb;

-- The current attempt: its number, and the number of the last launch before it. attempt_state: its own result, and what
-- counts of the earlier attempts. Null: it has the result of the enrolment.
alter table enrolment add column attempt_number integer not null default 1;
alter table enrolment add column attempt_launch integer not null default 0;
alter table enrolment add column attempt_state jsonb;

-- Attempts that have ended. ended_by: 'launch' or 'reset'. discarded: a reset came later, so the result does not count.
create table earlier_attempt (
  tenant_id text not null,
  enroll_id uuid not null,
  number integer not null,
  release_id uuid,
  first_launch integer not null,
  last_launch integer not null,
  finished_at timestamptz,
  ended_at timestamptz not null,
  ended_by text not null,
  reason text,
  discarded boolean not null default false,
  result jsonb not null,
  primary key (tenant_id, enroll_id, number),
  foreign key (tenant_id, enroll_id) references enrolment
);

create table earlier_unit (
  tenant_id text not null,
  enroll_id uuid not null,
  number integer not null,
  unit_id text not null,
  launch integer not null,
  commit_number integer not null,
  data jsonb not null,
  bytes integer not null,
  evidence jsonb not null,
  updated_at timestamptz not null,
  primary key (tenant_id, enroll_id, number, unit_id),
  foreign key (tenant_id, enroll_id, number) references earlier_attempt
);
