import { deleteOwn } from '../../../db/own-rows.ts';
import { run } from '../../../db/transaction.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { makeSecret } from './secrets.ts';

/**
 * New endpoints begin at the end of the log. After a change of the platform, pending deliveries may succeed, so they are
 * due now, and a disabled endpoint is enabled.
 */
const keepText = `
insert into webhook (tenant_id, webhook_id, url, description, status, secret, created_at, updated_at, kind, position)
select $1, $2, $3, $4, 'enabled', $5, $6, $6, 'lti',
  coalesce((select event_log.position from event_log where event_log.tenant_id = $1), 0)
on conflict (tenant_id, webhook_id) do update
set url = excluded.url, description = excluded.description, disabled_reason = nullif(webhook.disabled_reason, 'failing'),
  status = case when webhook.disabled_reason = 'client' then 'disabled' else 'enabled' end, failing_since = null,
  wake_at = excluded.updated_at, enabled_at = excluded.updated_at, updated_at = excluded.updated_at`;

/** Creates or changes the endpoint through which a learning platform receives scores. Its ID is that of the platform. */
export async function keepPlatformEndpoint(
  ctx: TenantContext,
  { platformId, url, name }: { platformId: string; url: string; name: string },
): Promise<void> {
  const { stored } = makeSecret(ctx, { tenant_id: ctx.tenantId, webhook_id: platformId });
  await run(ctx, keepText, [ctx.tenantId, platformId, url, name, stored, ctx.now()]);
}

/** Its deliveries must have been deleted before. */
export async function removePlatformEndpoint(ctx: TenantContext, platformId: string): Promise<void> {
  await deleteOwn(ctx, 'webhook', { webhook_id: platformId }).execute();
}
