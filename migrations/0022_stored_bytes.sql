-- The bytes of `data` as JSON: all units of an enrolment together have a limit. 0: no data was stored.
alter table attempt_unit add column bytes integer not null default 0;
update attempt_unit /* across tenants: a migration */ set bytes = octet_length(data::text) where data <> '{}';
