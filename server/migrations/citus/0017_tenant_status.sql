-- On Citus, a constraint needs a statement of its own.
alter table tenant add column status text not null default 'active', add column resumed_at timestamptz;
alter table tenant add constraint tenant_status_check check (status in ('active', 'suspended', 'deleting')) not valid;
alter table tenant validate constraint tenant_status_check;
