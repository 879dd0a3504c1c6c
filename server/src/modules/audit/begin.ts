import type { Context } from '../../platform/context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { appendAudit, beginChain, deployment } from './append.ts';

/** Starts the deployment's trail, once for each database. A trail that was removed later is not started again. */
export async function startDeploymentTrail(ctx: Context): Promise<void> {
  const isDue = ctx.db.selectFrom('setting').select('name').where('name', '=', 'audit_begins');
  if (!(await isDue.executeTakeFirst())) return;
  await transaction(ctx, async (ctx) => {
    const due = await ctx.db.deleteFrom('setting').where('name', '=', 'audit_begins').executeTakeFirst();
    if (due.numDeletedRows === 0n) return;
    await beginChain(ctx, deployment, { action: 'audit.began', targetId: null, data: {} });
  });
}

/** The deployment's chain lists all other chains, so no chain can be removed unnoticed. */
export function recordChainStart(ctx: Context, tenantId: string): Promise<void> {
  return appendAudit(ctx, deployment, { action: 'audit.began', targetId: tenantId, data: {} });
}
