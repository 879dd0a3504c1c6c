import { type Database, engineOf, kyselyOver, namedQuery } from './dialect.ts';
import type { Statement } from './engine.ts';

/** Transactions of several callers at once: a savepoint of one would take the statements of the others with it. */
const shared = new WeakSet<Database>();

/**
 * `work` gets the same ctx on one transaction. Inside another transaction it becomes a part of that one, and what it
 * wrote is undone when it throws.
 */
export async function transaction<C extends { db: Database; tenantId?: string }, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
): Promise<T> {
  const engine = engineOf(ctx.db);
  if (!engine) return nested(ctx, work);
  return engine.transaction((connection) => work({ ...ctx, db: kyselyOver(connection) }), ctx.tenantId);
}

/** `work` joins the transaction of `ctx`, or gets one of its own. It must not catch what goes wrong in the database. */
export function joinTransaction<C extends { db: Database }, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
): Promise<T> {
  return engineOf(ctx.db) ? transaction(ctx, work) : work(ctx);
}

/** One transaction for the work of several callers, none of which can begin one of its own in it. */
export function sharedTransaction<C extends { db: Database }, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
): Promise<T> {
  return transaction(ctx, (ctx) => {
    shared.add(ctx.db);
    return work(ctx);
  });
}

async function nested<C extends { db: Database }, T>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> {
  if (shared.has(ctx.db)) throw new Error('A transaction was begun inside one that several callers share.');
  const send = (text: string) => run(ctx, { text, values: [] });
  await send('savepoint nested');
  try {
    const result = await work(ctx);
    await send('release savepoint nested');
    return result;
  } catch (error) {
    // When the connection is lost, the whole transaction is.
    await send('rollback to savepoint nested')
      .then(() => send('release savepoint nested'))
      .catch(() => {});
    throw error;
  }
}

/** Runs a hand-written statement where `ctx.db` is: in its transaction, if there is one. */
export async function run<R>(
  { db, tenantId }: { db: Database; tenantId?: string },
  { name, text, values }: Statement,
): Promise<R[]> {
  const { rows } = await db.executeQuery(namedQuery<R>(text, values, { name, tenantId }));
  return rows;
}
