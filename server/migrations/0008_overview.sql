-- What happened on a day (UTC), as far as it is counted; counted_log says how far in the order of the log that is.
create table day_count (
  tenant_id text not null references tenant,
  day date not null,
  enrolments integer not null,
  starts integer not null,
  completions integer not null,
  primary key (tenant_id, day)
);
create table counted_log (
  tenant_id text primary key references tenant,
  epoch bigint not null,
  transaction xid8 not null,
  event_id uuid not null
);
