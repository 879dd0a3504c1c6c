import type { Database } from './dialect.ts';
import { run } from './transaction.ts';

/** SQL for database functions, with the same effect as `limitLockWaits`. */
export const limitLockWaitsSql = `perform set_config('lock_timeout', '300ms', true)`;

/**
 * Limits each wait for a lock to 300 ms until the transaction ends. Use it in transactions that
 * keep other tenants waiting.
 */
export async function limitLockWaits(ctx: { db: Database }): Promise<void> {
  await run(ctx, { text: `set local lock_timeout = '300ms'`, values: [] });
}

/**
 * Waits until no other process holds this lock in a transaction, for the work of a start that only one may do. A lock on
 * a table or on rows that tenants share would need all nodes of a Citus cluster.
 */
export async function takeTurn(ctx: { db: Database }): Promise<void> {
  await run(ctx, { text: 'select pg_advisory_xact_lock(5119244006)', values: [] });
}

const text = `set local citus.multi_shard_modify_mode = 'sequential'`;

/**
 * Call this in a transaction that uses rows of tenants before it changes a table that tenants share. On Citus, such a
 * change is rejected after statements that used shards in parallel. Plain PostgreSQL ignores the setting.
 */
export async function useShardsInTurn(ctx: { db: Database }): Promise<void> {
  await run(ctx, { text, values: [] });
}
