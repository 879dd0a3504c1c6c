-- outside a transaction
-- Counts a tenant's usable keys without reading those that have expired.
create index concurrently if not exists api_key_usable on api_key (tenant_id, (coalesce(expires_at, 'infinity'))) where revoked_at is null;
