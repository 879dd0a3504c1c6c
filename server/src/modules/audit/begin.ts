import type { Context } from '../../platform/context.ts';
import { run, transaction } from '../../platform/db/transaction.ts';
import { appendAudit, beginChain, deployment } from './append.ts';

/**
 * Earlier versions could create a head without entries for a failed sign-in. Such heads are deleted, because
 * a head without entries now means that the trail was changed outside the service.
 */
const emptyHeads = `/* across tenants: all chains are started */ delete from audit_chain where number = 0`;

/**
 * Starts the trails of the deployment and of tenants created before the audit trail was introduced. Runs once, after a
 * migration.
 */
export async function startMissingTrails(ctx: Context): Promise<void> {
  await transaction(ctx, async (ctx) => {
    const due = await ctx.db.deleteFrom('setting').where('name', '=', 'audit_begins').executeTakeFirst();
    if (due.numDeletedRows === 0n) return;
    await run(ctx, { text: emptyHeads, values: [] });
    await beginChain(ctx, deployment, { action: 'audit.began', targetId: null, data: {} });
    const found = await ctx.db
      .selectFrom('tenant')
      .select('tenant_id')
      .where('status', '<>', 'deleting')
      .orderBy('tenant_id')
      .execute();
    if (found.length > 0)
      ctx.log.warn({ tenants: found.length }, 'started the audit trail after a migration');
    for (const { tenant_id } of found) {
      await beginChain(ctx, tenant_id, { action: 'audit.began', targetId: tenant_id, data: {} });
      await recordChainStart(ctx, tenant_id);
    }
  });
}

/** The deployment's chain lists all other chains, so no chain can be removed unnoticed. */
export function recordChainStart(ctx: Context, tenantId: string): Promise<void> {
  return appendAudit(ctx, deployment, { action: 'audit.began', targetId: tenantId, data: {} });
}
