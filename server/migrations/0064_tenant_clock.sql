-- outside a transaction
-- Each process reads the clocks that are ahead twice a second.
drop index concurrently if exists tenant_clock;
create index concurrently tenant_clock on tenant (tenant_id) where clock_offset > 0;
