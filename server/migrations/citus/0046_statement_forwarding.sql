-- On Citus, a constraint needs a statement of its own.
alter table webhook add column kind text not null default 'events', add column username text, add column password text;
alter table webhook add constraint webhook_kind_check check (kind in ('events', 'xapi')) not valid;
alter table webhook validate constraint webhook_kind_check;
alter table webhook_delivery add column statement_ids uuid[];
