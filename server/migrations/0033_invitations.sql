-- The newest invitation of each user. link_hashes: its links, each of which works until one is used. scopes: those of
-- the inviter, to which a password that the link sets is limited; null: all of a tenant's.
create table invitation (
  tenant_id text not null,
  user_id uuid not null,
  invitation_id uuid not null,
  link_hashes text[] not null,
  scopes text[],
  created_at timestamptz not null,
  expires_at timestamptz not null,
  accepted_at timestamptz,
  revoked_at timestamptz,
  primary key (tenant_id, user_id),
  unique (tenant_id, invitation_id),
  foreign key (tenant_id, user_id) references "user" on delete cascade
);

-- Whether the user chose the password on a page of this service, which applied the function of the service.
alter table "user" add column password_chosen boolean not null default false;
