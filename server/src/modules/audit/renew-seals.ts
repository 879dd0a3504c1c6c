import type { Context } from '../../platform/context.ts';
import { isServed, servedTenants } from '../../platform/db/citus/node-tenants.ts';
import { run, transaction } from '../../platform/db/transaction.ts';
import { checkHead, type Head, isCurrentSeal, sealHead } from './chain.ts';

const read = `/* across tenants: the heads of all audit chains are sealed with the current key */
select head.tenant_id, head.number, head.hash, head.seal from audit_chain head where head.number > 0 and ${isServed('head.tenant_id', '$1')}`;

/**
 * Seals the heads of all chains with the first key in the ring. A head covers its whole chain, so keys that were used
 * only for old entries can then be removed. Called before a node serves requests.
 */
export async function renewSeals(ctx: Context): Promise<void> {
  const heads = await run<Head & { tenant_id: string }>(ctx, {
    text: read,
    values: [await servedTenants(ctx)],
  });
  for (const { tenant_id, seal } of heads) if (!isCurrentSeal(ctx, seal)) await renew(ctx, tenant_id);
}

async function renew(ctx: Context, tenantId: string): Promise<void> {
  await transaction(ctx, async (ctx) => {
    const head = await ctx.db
      .selectFrom('audit_chain')
      .selectAll()
      .where('tenant_id', '=', tenantId)
      .forUpdate()
      .executeTakeFirst();
    // A head that fails verification is left unchanged; the next entry reports it.
    if (!head || checkHead(ctx, tenantId, head) !== 'genuine') return;
    await ctx.db
      .updateTable('audit_chain')
      .set({ seal: sealHead(ctx, tenantId, head) })
      .where('tenant_id', '=', tenantId)
      .execute();
  });
}
