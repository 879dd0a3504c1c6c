import { run } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';

/** What a report of an earlier day needs. */
const readText = `
select held.obligation_id, jsonb_build_object('until', $3::timestamptz, 'follows', held.follows, 'due_at', held.due_at, 'due_soon_at', held.due_soon_at, 'met_at', held.met_at,
  'valid_until', held.valid_until, 'expiring_at', held.expiring_at, 'exempt_at', held.exempt_at, 'left_at', held.left_at,
  'closed_at', held.closed_at, 'group_names', held.group_names, 'manager_login_id', held.manager_login_id,
  'attributes', held.attributes) as entry
from obligation held
where held.tenant_id = $1 and held.obligation_id = any($2::uuid[]) and held.changed_at < $3
order by held.obligation_id for update`;

const keepText = `
update obligation held set earlier = held.earlier || made.entry
from jsonb_to_recordset($2::jsonb) as made (obligation_id uuid, entry jsonb)
where held.tenant_id = $1 and held.obligation_id = made.obligation_id`;

/**
 * Keeps what these obligations said until now, before they change. Two statements, because Citus allows no
 * `jsonb_build_object` of columns in an update.
 */
export async function keepEarlier(ctx: TenantContext, obligationIds: readonly string[]): Promise<void> {
  if (obligationIds.length === 0) return;
  const values = [ctx.tenantId, obligationIds, tenantNow(ctx)];
  const entries = await run(ctx, readText, values);
  if (entries.length === 0) return;
  await run(ctx, keepText, [ctx.tenantId, JSON.stringify(entries)]);
}
