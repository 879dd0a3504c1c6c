-- outside a transaction
-- GET /events, webhooks, the overview, and events without a position.
drop index concurrently if exists event_by_position;
create unique index concurrently event_by_position on event (tenant_id, position);
-- Cursors from before positions.
drop index concurrently if exists event_before_positions;
create index concurrently event_before_positions on event (tenant_id, epoch, transaction, event_id)
  where transaction is not null;
drop index concurrently if exists event_in_order;
