import type { Context } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import type { AuditAction } from './actions.ts';

/** A range makes PostgreSQL use the index of targets, the only index in this order. */
const text = `
select made.target_id, made.actor, doer.login_id
from unnest($3::text[]) own (target_id) cross join lateral (
  select entry.target_id, entry.actor, entry.actor_user_id from audit_entry entry
  where entry.tenant_id = $1 and entry.target_id between own.target_id and own.target_id and entry.action = $2
  order by entry.target_id, entry.audit_id limit 1
) made
left join "user" doer on doer.tenant_id = $1 and doer.user_id = made.actor_user_id`;

type Row = { target_id: string; actor: string; login_id: string | null };

/** The creator of a record. The LoginID is null if the creator was not a user or has been erased. */
export type Creator = { by: 'administrator' | 'operator'; loginId: string | null };

/**
 * The creator of each target, according to the trail.
 */
export async function readCreators(
  ctx: Context,
  trail: string,
  { action, targetIds }: { action: AuditAction; targetIds: readonly string[] },
): Promise<Map<string, Creator>> {
  if (targetIds.length === 0) return new Map();
  const rows = await run<Row>(ctx, {
    name: 'read_creators',
    text,
    values: [trail, action, targetIds],
  });
  return new Map(
    rows.map(({ target_id, actor, login_id }) => [
      target_id,
      { by: actor === 'administrator' ? 'administrator' : 'operator', loginId: login_id },
    ]),
  );
}
