-- Where a tenant's log ends. A transaction moves this on just before it commits and keeps the row locked until then, so
-- positions become visible in order. The free space keeps its updates on the same page.
create table event_log (
  tenant_id text primary key references tenant,
  position bigint not null
) with (fillfactor = 20);

-- Null until the end of the transaction that writes the event, and for events of the version before.
alter table event add column position bigint;
alter table webhook add column position bigint;
alter table counted_log add column position bigint;

-- The order before, in which events from now on have no place. Cursors that clients hold still refer to it.
alter table event alter column epoch drop default, alter column epoch drop not null,
  alter column transaction drop default, alter column transaction drop not null;
alter table webhook alter column epoch drop not null, alter column transaction drop not null,
  alter column event_id drop not null;
alter table counted_log alter column epoch drop not null, alter column transaction drop not null,
  alter column event_id drop not null;
