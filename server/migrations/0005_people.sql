-- Enrolment keys. Only a hash is kept; user_id: only this user may redeem.
create table enrolment_key (
  tenant_id text not null references tenant,
  key_id uuid not null,
  key_hash text not null,
  key_start text not null,
  course_ids text[] not null,
  duration_ids text[] not null,
  user_id uuid,
  group_name text,
  purchase_order text,
  valid_from timestamptz not null,
  valid_until timestamptz not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  redeemed_at timestamptz,
  redeemed_by uuid,
  enroll_ids uuid[],
  primary key (tenant_id, key_id),
  unique (tenant_id, key_hash),
  foreign key (tenant_id, user_id) references "user",
  foreign key (tenant_id, redeemed_by) references "user"
);
create index enrolment_key_of_order on enrolment_key (tenant_id, purchase_order, key_id)
  where purchase_order is not null;
create index enrolment_key_of_user on enrolment_key (tenant_id, user_id) where user_id is not null;
create index enrolment_key_redeemed_by on enrolment_key (tenant_id, redeemed_by) where redeemed_by is not null;

-- The unknown keys that a user tried in the last fifteen minutes.
create table key_guess (
  tenant_id text not null,
  user_id uuid not null,
  guessed_at timestamptz[] not null default '{}',
  primary key (tenant_id, user_id),
  foreign key (tenant_id, user_id) references "user" on delete cascade
);

create table sign_in_link (
  tenant_id text not null,
  link_hash text not null,
  user_id uuid not null,
  path text not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  primary key (tenant_id, link_hash),
  foreign key (tenant_id, user_id) references "user" on delete cascade
);
create index sign_in_link_of_user on sign_in_link (tenant_id, user_id);

-- expires_at is absolute; last_seen_at decides on idleness.
create table user_session (
  tenant_id text not null,
  session_hash text not null,
  user_id uuid not null,
  signed_in_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  user_agent text,
  primary key (tenant_id, session_hash),
  foreign key (tenant_id, user_id) references "user" on delete cascade
);
create index user_session_of_user on user_session (tenant_id, user_id);

-- login_mark: a keyed hash of the LoginID, by which a repeated request finds its receipt.
create table erasure (
  tenant_id text not null references tenant,
  erasure_id uuid not null,
  login_mark text not null,
  receipt jsonb not null,
  erased_at timestamptz not null,
  primary key (tenant_id, erasure_id)
);
create index erasure_by_mark on erasure (tenant_id, login_mark, erasure_id);

-- An enrolment whose user was erased is an anonymous result.
alter table enrolment alter column user_id drop not null;
create index event_of_user on event (tenant_id, user_id, event_id) where user_id is not null and enroll_id is null;
