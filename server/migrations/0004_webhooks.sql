-- The log is in the order (epoch, transaction, event_id). Transaction numbers begin anew in a restored database, so each
-- life of the database has its epoch: the default here is moved on when a new life is noticed.
alter table event add column epoch bigint not null default 1;
drop index event_in_order;
create index event_in_order on event (tenant_id, epoch, transaction, event_id);
insert into setting (name, value) values ('event_epoch', '1');

-- types null: all. epoch, transaction, event_id: how far in the log the deliveries of this endpoint are made.
-- owner: the node that delivers; another one takes over when owned_until has passed. wake_at: when there is something
-- to do even if nothing happens.
create table webhook (
  tenant_id text not null references tenant,
  webhook_id uuid not null,
  url text not null,
  description text,
  types text[],
  status text not null default 'enabled' check (status in ('enabled', 'disabled')),
  disabled_reason text check (disabled_reason in ('failing', 'client')),
  secret text not null,
  previous_secret text,
  previous_secret_until timestamptz,
  epoch bigint not null,
  transaction xid8 not null,
  event_id uuid not null,
  failing_since timestamptz,
  owner uuid,
  owned_until timestamptz,
  wake_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (tenant_id, webhook_id)
);

-- One event for one endpoint. Those of a lane (an enrolment, else a user) are delivered one after the other, in the
-- order of their numbers. A ping tells of no event in the log.
create table webhook_delivery (
  tenant_id text not null,
  webhook_id uuid not null,
  delivery_id uuid not null,
  number bigint generated always as identity,
  event_id uuid not null,
  type text not null,
  lane uuid not null,
  reason text not null check (reason in ('event', 'replay', 'ping')),
  status text not null default 'pending' check (status in ('pending', 'delivered', 'failed')),
  attempts integer not null default 0,
  created_at timestamptz not null,
  first_attempt_at timestamptz,
  attempted_at timestamptz,
  next_attempt_at timestamptz,
  url text,
  response_status integer,
  response_body text,
  error text,
  milliseconds integer,
  primary key (tenant_id, webhook_id, delivery_id),
  foreign key (tenant_id, webhook_id) references webhook on delete cascade
);
create index webhook_delivery_pending on webhook_delivery (tenant_id, webhook_id, number) where status = 'pending';
create index webhook_delivery_by_age on webhook_delivery (created_at) where status <> 'pending';
