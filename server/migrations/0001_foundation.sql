-- Deployment-wide tables. On Citus these are reference tables.

create table setting (
  name text primary key,
  value text not null
);

create table tenant (
  tenant_id text primary key,
  name text not null,
  password_hash text not null default 'opaque',
  return_origins text[],
  frame_origins text[],
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- tenant_id null: a key of the operator.
create table api_key (
  key_id uuid primary key,
  tenant_id text references tenant,
  name text not null,
  secret_hash text not null unique,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_key_of_tenant on api_key (tenant_id, key_id);

create table course (
  course_id text primary key,
  title text not null,
  description text,
  language text,
  image_url text,
  url text,
  status text not null default 'published' check (status in ('draft', 'published', 'retired')),
  tenants text[],
  release_id uuid,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

create table release (
  release_id uuid primary key,
  course_id text not null references course on delete cascade,
  number integer not null,
  standard text not null,
  title text not null,
  tree jsonb not null,
  warnings jsonb not null,
  files integer not null,
  bytes bigint not null,
  sha256 text not null,
  created_at timestamptz not null,
  unique (course_id, number)
);
alter table course add foreign key (release_id) references release;

create table enrol_option (
  course_id text not null references course on delete cascade,
  duration_id text not null,
  name text not null,
  duration text,
  starts_on text not null default 'enrolment' check (starts_on in ('enrolment', 'launch')),
  seats integer,
  groups text[],
  price_amount text,
  price_currency text,
  status text not null default 'published' check (status in ('draft', 'published', 'retired')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (course_id, duration_id)
);

-- Tables of a tenant: each primary key begins with tenant_id.

create table "user" (
  tenant_id text not null references tenant,
  user_id uuid not null,
  login_id text not null,
  first_name text,
  last_name text,
  group_name text,
  email text,
  is_admin boolean not null default false,
  register boolean not null default false,
  enabled boolean not null default true,
  password_hash text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, user_id),
  unique (tenant_id, login_id)
);
create index user_by_group on "user" (tenant_id, group_name, login_id);
create index user_by_email on "user" (tenant_id, lower(email), login_id);

-- The wrong passwords of the last fifteen minutes.
create table password_failure (
  tenant_id text not null,
  user_id uuid not null,
  failed_at timestamptz[] not null,
  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references "user" on delete cascade
);

-- commits: the highest number taken; revision: how many were taken, as commits may arrive out of their order.
-- ended_at null: the current enrolment of this user on this course. It ends by withdrawal, renewal or a later
-- enrolment after its time; the result stays readable.
create table enrolment (
  tenant_id text not null,
  enroll_id uuid not null,
  user_id uuid not null,
  course_id text not null references course,
  duration_id text not null,
  release_id uuid references release,
  status text not null default 'enrolled'
    check (status in ('enrolled', 'in_progress', 'completed', 'expired', 'withdrawn')),
  status_before_end text check (status_before_end in ('enrolled', 'in_progress', 'completed')),
  completion text not null default 'unknown' check (completion in ('unknown', 'incomplete', 'completed')),
  success text not null default 'unknown' check (success in ('unknown', 'passed', 'failed')),
  score double precision,
  progress double precision not null default 0,
  total_seconds double precision not null default 0,
  override jsonb,
  duration text,
  starts_on text not null,
  enrolled_at timestamptz not null,
  started_at timestamptz,
  last_accessed_at timestamptz,
  completed_at timestamptz,
  expires_at timestamptz,
  ended_at timestamptz,
  changed_at timestamptz not null,
  launches integer not null default 0,
  commits integer not null default 0,
  revision integer not null default 0,
  reference text,
  metadata jsonb not null default '{}',
  primary key (tenant_id, enroll_id),
  foreign key (tenant_id, user_id) references "user",
  foreign key (course_id, duration_id) references enrol_option
);
create unique index enrolment_current on enrolment (tenant_id, user_id, course_id) where ended_at is null;
create index enrolment_of_user on enrolment (tenant_id, user_id, enroll_id);
create index enrolment_of_course on enrolment (tenant_id, course_id, enroll_id);
create index enrolment_changed on enrolment (tenant_id, changed_at, enroll_id);
create index enrolment_of_option on enrolment (course_id, duration_id);
create index enrolment_on_release on enrolment (release_id) where release_id is not null;

create table launch (
  tenant_id text not null,
  enroll_id uuid not null,
  number integer not null,
  started_at timestamptz not null,
  last_seen_at timestamptz not null,
  ended_at timestamptz,
  return_url text,
  user_agent text,
  primary key (tenant_id, enroll_id, number),
  foreign key (tenant_id, enroll_id) references enrolment
);

-- The run-time data of one enrolment: what spans the units, and one row per unit.
create table attempt (
  tenant_id text not null,
  enroll_id uuid not null,
  tree_state text,
  last_unit_id text,
  root jsonb,
  primary key (tenant_id, enroll_id),
  foreign key (tenant_id, enroll_id) references enrolment
);

create table attempt_unit (
  tenant_id text not null,
  enroll_id uuid not null,
  unit_id text not null,
  commit_number integer not null,
  data jsonb not null,
  evidence jsonb not null,
  updated_at timestamptz not null,
  primary key (tenant_id, enroll_id, unit_id),
  foreign key (tenant_id, enroll_id) references enrolment
);

create table run_time_commit (
  tenant_id text not null,
  enroll_id uuid not null,
  number integer not null,
  launch integer not null,
  unit_id text not null,
  evidence jsonb not null,
  warnings text[],
  committed_at timestamptz not null,
  primary key (tenant_id, enroll_id, number),
  foreign key (tenant_id, enroll_id) references enrolment
);

-- transaction lets a reader of the log stop before the oldest transaction still open, and so miss nothing.
create table event (
  tenant_id text not null references tenant,
  event_id uuid not null,
  transaction xid8 not null default pg_current_xact_id(),
  type text not null,
  occurred_at timestamptz not null,
  user_id uuid,
  enroll_id uuid,
  course_id text,
  data jsonb not null,
  primary key (tenant_id, event_id)
);
create index event_in_order on event (tenant_id, transaction, event_id);
create index event_of_enrolment on event (tenant_id, enroll_id, event_id) where enroll_id is not null;
