-- outside a transaction
-- Signing in with the name of a tenant.
drop index concurrently if exists tenant_by_folded_id;
create index concurrently tenant_by_folded_id on tenant (lower(tenant_id));
drop index concurrently if exists tenant_by_folded_name;
create index concurrently tenant_by_folded_name on tenant (lower(name));
