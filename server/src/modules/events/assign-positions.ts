import type { Context } from '../../platform/context.ts';
import { readByIndex } from '../../platform/db/batches.ts';
import { run, transaction } from '../../platform/db/transaction.ts';
import { numberEvents } from './write.ts';

const waiting = `/* across tenants: nodes of the previous version write for all tenants */
select chain.tenant_id from audit_chain chain
where exists (select from event where event.tenant_id = chain.tenant_id and event.position is null)`;

/**
 * Numbers events from nodes of the previous version, which write them without positions during an
 * upgrade.
 */
export async function assignPositions(ctx: Context): Promise<void> {
  const rows = await transaction(ctx, async (ctx) => {
    // Statistics from the time of the upgrade may suggest reading all events.
    await readByIndex(ctx);
    return run<{ tenant_id: string }>(ctx, { text: waiting, values: [] });
  });
  for (const { tenant_id } of rows) await numberEvents(ctx, [tenant_id]);
}
