-- Links with which users who forgot their password set another one. A user may have several.
create table password_reset (
  tenant_id text not null,
  link_hash text not null,
  user_id uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (tenant_id, link_hash),
  foreign key (tenant_id, user_id) references "user" on delete cascade
);
create index password_reset_of_user on password_reset (tenant_id, user_id, created_at);
