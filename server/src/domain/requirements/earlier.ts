import { run } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { keptColumns } from './former.ts';

/** What a report of an earlier day needs. */
const readText = `
select held.obligation_id, jsonb_build_object('until', $3::timestamptz,
  ${keptColumns.map((name) => `'${name}', held.${name}`).join(', ')}) as entry
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
  const entries = await run(ctx, readText, [ctx.tenantId, obligationIds, tenantNow(ctx)]);
  if (entries.length === 0) return;
  await run(ctx, keepText, [ctx.tenantId, JSON.stringify(entries)]);
}
