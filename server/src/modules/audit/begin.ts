import type { Context } from '../../platform/context.ts';
import { run, transaction } from '../../platform/db/transaction.ts';
import { appendAudit, beginChain, deployment } from './append.ts';

/** Before, a failed sign-in could make one. A head without entries now means that the trail was changed outside. */
const emptyHeads = `/* across tenants: all chains begin */ delete from audit_chain where number = 0`;

/** Begins the trail of the deployment, and those of tenants from before chains had beginnings: once, after a migration. */
export async function beginTrail(ctx: Context): Promise<void> {
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
      ctx.log.warn({ tenants: found.length }, 'the audit trail begins, after a migration');
    for (const { tenant_id } of found) {
      await beginChain(ctx, tenant_id, { action: 'audit.began', targetId: tenant_id, data: {} });
      await recordBeginning(ctx, tenant_id);
    }
  });
}

/** The deployment's chain names every other one, so that none can be removed whole. */
export function recordBeginning(ctx: Context, tenantId: string): Promise<void> {
  return appendAudit(ctx, deployment, { action: 'audit.began', targetId: tenantId, data: {} });
}
