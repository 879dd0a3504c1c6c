-- How far statements have been derived from the tenant's events; null if never. Tenants that already forward statements
-- begin with the events from now on.
alter table statement_log add column event_position bigint;
insert into statement_log (tenant_id, position, event_position)
select own.tenant_id, 0, coalesce(log.position, 0)
from (select distinct webhook.tenant_id from webhook where webhook.kind = 'xapi') own
left join event_log log on log.tenant_id = own.tenant_id
on conflict (tenant_id) do update set event_position = excluded.event_position;
