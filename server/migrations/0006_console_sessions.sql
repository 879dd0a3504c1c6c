-- Sessions of the operator, of no tenant. expires_at is absolute; last_seen_at decides on idleness.
create table operator_session (
  session_hash text primary key,
  signed_in_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  user_agent text
);

-- Wrong passwords of the last fifteen minutes at the sign-in that anyone may call. name_mark: a keyed hash of tenant
-- and LoginID, whether they exist or not.
create table sign_in_guess (
  name_mark text primary key,
  guessed_at timestamptz[] not null,
  expires_at timestamptz not null
);
create index sign_in_guess_by_end on sign_in_guess (expires_at);
