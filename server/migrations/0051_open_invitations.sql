-- outside a transaction
-- GET /invitation lists the pending ones.
drop index concurrently if exists invitation_open;
create index concurrently invitation_open on invitation (tenant_id, invitation_id)
  where accepted_at is null and revoked_at is null;
