-- Only events written before 0034 have a transaction, and none is added while this runs.
-- contract: fills the new column, and blocks no writes but those of erasures
update event set position = numbered.position from (
  select tenant_id, event_id, row_number() over (partition by tenant_id order by epoch, transaction, event_id) as position
  from event where transaction is not null
) numbered
where event.tenant_id = numbered.tenant_id and event.event_id = numbered.event_id;

insert into event_log (tenant_id, position)
select tenant_id, count(*) from event where position is not null group by tenant_id;

-- The epoch is beyond all others, so that nodes of the version before create no deliveries and count no events again.
-- contract: this version continues where they stopped
update webhook set epoch = 9000000000000000, position = coalesce((
  select event.position from event where event.tenant_id = webhook.tenant_id and event.transaction is not null
    and (event.epoch, event.transaction, event.event_id) <= (webhook.epoch, webhook.transaction, webhook.event_id)
  order by event.epoch desc, event.transaction desc, event.event_id desc limit 1
), 0);
-- contract: this version continues where they stopped
update counted_log set epoch = 9000000000000000, position = coalesce((
  select event.position from event where event.tenant_id = counted_log.tenant_id and event.transaction is not null
    and (event.epoch, event.transaction, event.event_id) <= (counted_log.epoch, counted_log.transaction, counted_log.event_id)
  order by event.epoch desc, event.transaction desc, event.event_id desc limit 1
), 0);
insert into counted_log (tenant_id, epoch, transaction, event_id, position)
select tenant_id, 9000000000000000, '0', '00000000-0000-0000-0000-000000000000', 0 from tenant
on conflict do nothing;
