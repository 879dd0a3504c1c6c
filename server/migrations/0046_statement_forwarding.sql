-- kind: what the endpoint receives. username, password: credentials for another LRS, the password encrypted.
alter table webhook add column kind text not null default 'events' check (kind in ('events', 'xapi')),
  add column username text, add column password text;

-- The statements of a delivery to another LRS, in order. Its event_id is the first of them.
alter table webhook_delivery add column statement_ids uuid[];
