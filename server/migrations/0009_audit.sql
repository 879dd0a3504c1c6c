-- The audit trail: one chain of entries for each tenant, and one for the deployment, whose tenant_id is empty. Nothing
-- refers to a tenant or a user: the trail outlives them. No triggers: Citus has none on distributed tables, and whoever
-- can change rows can drop a trigger; the chain shows changes instead.
create table audit_entry (
  tenant_id text not null,
  audit_id uuid not null,
  number bigint not null,
  at timestamptz not null,
  action text not null,
  actor text not null,
  actor_id text,
  actor_user_id uuid,
  address text,
  request_id text,
  target text,
  target_id text,
  event_id uuid,
  data jsonb not null,
  hash text not null,
  seal text not null,
  primary key (tenant_id, audit_id)
);
create index audit_entry_in_order on audit_entry (tenant_id, number, audit_id);
create index audit_entry_by_id on audit_entry (audit_id);
create index audit_entry_of_action on audit_entry (tenant_id, action, audit_id);
create index audit_entry_of_target on audit_entry (tenant_id, target_id, audit_id);
create index audit_entry_of_key on audit_entry (tenant_id, actor_id, audit_id);
create index audit_entry_of_user on audit_entry (tenant_id, actor_user_id, audit_id) where actor_user_id is not null;

-- The last entry of each chain; locked while an entry is appended. failures: sign-ins that failed since failures_from;
-- beyond a limit they are counted and get no entry.
create table audit_chain (
  tenant_id text primary key,
  number bigint not null,
  at timestamptz not null,
  hash text not null,
  seal text not null,
  failures integer not null default 0,
  failures_from timestamptz
);
