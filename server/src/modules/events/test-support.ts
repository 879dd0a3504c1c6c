import pg from 'pg';
import { until } from '../../../test/support/until.ts';
import type { TenantContext } from '../../platform/context.ts';

/** Counts events that readers cannot see yet, because an older transaction is still open on the server. */
const unreadable = `select 1 from event
  join setting on setting.name = 'event_epoch' and event.epoch = setting.value::bigint
  where event.transaction >= pg_snapshot_xmin(pg_current_snapshot())`;

/**
 * Waits until the tenant's log can be read to its end, because other tests on the same server have open transactions.
 */
export async function untilReadable({ engine, tenantId }: Omit<TenantContext, 'db'>): Promise<void> {
  const text = `${unreadable} and event.tenant_id = $1 limit 1`;
  await until(
    'the log can be read to its end',
    async () => (await engine.query({ text, values: [tenantId] })).rows.length === 0,
  );
}

/** The same for a service in its own process. Without a server there are no other transactions. */
export async function untilReadableAt(databaseUrl: string | undefined): Promise<void> {
  if (!databaseUrl) return;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const isReadable = async () => (await client.query(`${unreadable} limit 1`)).rows.length === 0;
  await until('the log can be read to its end', isReadable).finally(() => client.end());
}
