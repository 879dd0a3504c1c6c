import type { Database } from './dialect.ts';
import { run } from './transaction.ts';

/** SQL of a function, with the same effect as `limitLockWaits`. */
export const limitLockWaitsSql = `perform set_config('lock_timeout', '300ms', true)`;

/**
 * Until the transaction ends, it waits only briefly for locks. For transactions that occupy something that other tenants
 * wait for.
 */
export async function limitLockWaits(ctx: { db: Database }): Promise<void> {
  await run(ctx, { text: `set local lock_timeout = '300ms'`, values: [] });
}
