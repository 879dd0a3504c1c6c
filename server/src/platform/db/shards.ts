import type { Database } from './dialect.ts';
import { run } from './transaction.ts';

const text = `set local citus.multi_shard_modify_mode = 'sequential'`;

/**
 * Call this in a transaction that uses rows of tenants before it changes a table that tenants share. On Citus, such a
 * change is rejected after statements that used shards in parallel. Plain PostgreSQL ignores the setting.
 */
export async function useShardsInTurn(ctx: { db: Database }): Promise<void> {
  await run(ctx, { text, values: [] });
}
