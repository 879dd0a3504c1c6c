-- suspended: keys, sessions, links and webhooks are refused or wait; nothing is lost. resumed_at: deadlines that a
-- suspension may have overrun (late results, failing webhooks) count from here. deleting: gone for everybody; a job
-- deletes the rest.
alter table tenant
  add column status text not null default 'active' check (status in ('active', 'suspended', 'deleting')),
  add column resumed_at timestamptz;
