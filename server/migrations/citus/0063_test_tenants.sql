-- On Citus, a constraint needs a statement of its own.
alter table tenant add column clock_offset integer;
alter table tenant add constraint tenant_clock_offset_check check (clock_offset between 0 and 630720000) not valid;
alter table tenant validate constraint tenant_clock_offset_check;
