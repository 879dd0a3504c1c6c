import { connectionOf, type Database, kyselyForConnection, originOf, statementNameOf } from './dialect.ts';
import type { Statement } from './engine/engine.ts';

type LastWork = (ctx: { db: Database }, keys: string[]) => Promise<void>;

const lastWork = new WeakMap<Database, Map<LastWork, Set<string>>>();

/**
 * Runs `work` once for all keys just before the transaction of `ctx` commits, so that its locks are taken
 * last and held only briefly. `work` also runs if the savepoint in which it was registered was rolled back.
 */
export function beforeCommit({ db }: { db: Database }, keys: readonly string[], work: LastWork): void {
  const known = lastWork.get(db) ?? new Map<LastWork, Set<string>>();
  lastWork.set(db, known.set(work, new Set([...(known.get(work) ?? []), ...keys])));
}

/** Runs the work given to `beforeCommit` now, for the one statement that may follow it. */
export async function runLastWork(ctx: { db: Database }): Promise<void> {
  const works = lastWork.get(ctx.db) ?? [];
  lastWork.delete(ctx.db);
  for (const [work, keys] of works) await work(ctx, [...keys]);
}

/**
 * Runs `work` in one transaction. Inside another transaction it uses a savepoint, so only the writes of
 * `work` are undone if it throws.
 */
export async function transaction<C extends { db: Database }, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
): Promise<T> {
  const origin = originOf(ctx.db);
  if (!origin) return nested(ctx, work);
  const { engine, owner } = origin;
  return engine.transaction(async (connection) => {
    const own = { ...ctx, db: kyselyForConnection(connection) };
    const result = await work(own);
    await runLastWork(own);
    return result;
  }, owner);
}

export function isInTransaction({ db }: { db: Database }): boolean {
  return originOf(db) === undefined;
}

/**
 * Runs `work` in the transaction of `ctx`, or in its own if there is none. `work` must not catch
 * database errors.
 */
export function joinTransaction<C extends { db: Database }, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
): Promise<T> {
  return originOf(ctx.db) ? transaction(ctx, work) : work(ctx);
}

async function nested<C extends { db: Database }, T>(ctx: C, work: (ctx: C) => Promise<T>): Promise<T> {
  const send = (text: string) => run(ctx, { text, values: [] });
  await send('savepoint nested');
  try {
    const result = await work(ctx);
    await send('release savepoint nested');
    return result;
  } catch (error) {
    // If the connection was lost, the whole transaction is lost too.
    await send('rollback to savepoint nested')
      .then(() => send('release savepoint nested'))
      .catch(() => {});
    throw error;
  }
}

/**
 * Runs a hand-written statement on `ctx.db`, inside its transaction if there is one. The statement stays
 * prepared.
 */
export async function run<R>(ctx: { db: Database }, { name, text, values }: Statement): Promise<R[]> {
  const known = name ?? statementNameOf(text);
  return runUnprepared(ctx, known === undefined ? { text, values } : { name: known, text, values });
}

/** Like `run`, but the database plans the statement each time for the given values. */
export async function runUnprepared<R>({ db }: { db: Database }, statement: Statement): Promise<R[]> {
  const { rows } = await connectionOf(db).query<R>(statement);
  return rows;
}
