-- How many seconds the clock of a test tenant is ahead; null if the tenant is not a test tenant: docs/adr/0087-sandbox.md.
alter table tenant add column clock_offset integer check (clock_offset between 0 and 630720000);
