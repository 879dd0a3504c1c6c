import type { TenantContext } from '../../platform/context.ts';

/** Waits until the log of the tenant can be read to its end: other tests of the same server have open transactions. */
export async function untilReadable({ engine, tenantId }: Omit<TenantContext, 'db'>): Promise<void> {
  const end = performance.now() + 30_000;
  for (;;) {
    const { rows } = await engine.query({
      text: `select 1 from event told join setting on setting.name = 'event_epoch' and told.epoch = setting.value::bigint
        where told.tenant_id = $1 and told.transaction >= pg_snapshot_xmin(pg_current_snapshot()) limit 1`,
      values: [tenantId],
    });
    if (rows.length === 0) return;
    if (performance.now() > end) throw new Error('A transaction stays open on the server.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
