import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';

const portion = 500;

const renew = `
with page as (
  select held.delivery_id, held.number from webhook_delivery held
  where held.tenant_id = $1 and held.webhook_id = $2 and held.status = 'pending' and held.number > $3
  order by held.number limit ${portion}
), renewed as (
  update webhook_delivery old set first_attempt_at = null, next_attempt_at = null
  where old.tenant_id = $1 and old.webhook_id = $2 and old.delivery_id = any(array(select page.delivery_id from page))
)
select max(page.number) as last, count(*)::integer as rows from page`;

type Page = { last: number | null; rows: number };

/** The 72 hours of what waits begin again. The endpoint is still disabled, so nothing is sent meanwhile. */
export async function beginAnew(ctx: TenantContext, { webhookId }: { webhookId: string }): Promise<void> {
  let after: number | null = 0;
  while (after !== null) {
    const values: unknown[] = [ctx.tenantId, webhookId, after];
    const [page]: Page[] = await run<Page>(ctx, { name: 'webhook_begin_anew', text: renew, values });
    after = page?.rows === portion ? page.last : null;
  }
}
