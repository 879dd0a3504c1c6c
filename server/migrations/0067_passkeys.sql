-- The passkeys of administrators. Only public keys are stored, so a copy of the database signs nobody in.
create table passkey (
  tenant_id text not null,
  user_id uuid not null,
  passkey_id uuid not null,
  name text not null,
  credential_id text not null,
  public_key text not null,
  sign_count bigint not null,
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  primary key (tenant_id, user_id, passkey_id),
  foreign key (tenant_id, user_id) references "user" on delete cascade
);
create unique index passkey_by_credential on passkey (tenant_id, user_id, credential_id);

-- Removing a passkey ends the sessions that began before, except the one in which it was removed.
alter table "user" add column passkeys_changed_at timestamptz;
alter table "user" add column passkeys_changed_in text;

-- 'required': administrators need a passkey to use the console.
alter table tenant add column second_factor text not null default 'optional';

-- second_factor: 'passkey', or 'link' if an API key created the sign-in link. Null: only a password was checked.
alter table user_session add column second_factor text;
alter table user_session add column challenge_hash text;
alter table user_session add column challenge_for text;
alter table user_session add column challenge_until timestamptz;
alter table sign_in_link add column second_factor text;

create table operator_passkey (
  passkey_id uuid primary key,
  name text not null,
  credential_id text not null unique,
  public_key text not null,
  sign_count bigint not null,
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
alter table operator_session add column second_factor text;
alter table operator_session add column challenge_hash text;
alter table operator_session add column challenge_for text;
alter table operator_session add column challenge_until timestamptz;
