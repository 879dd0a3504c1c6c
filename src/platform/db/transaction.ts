import { type Database, engineOf, kyselyOver, namedQuery } from './dialect.ts';
import type { Statement } from './engine.ts';

/** `work` gets the same ctx on one transaction; inside another transaction it joins that one. */
export async function transaction<C extends { db: Database }, T>(
  ctx: C,
  work: (ctx: C) => Promise<T>,
): Promise<T> {
  const engine = engineOf(ctx.db);
  if (!engine) return work(ctx);
  return engine.transaction((connection) => work({ ...ctx, db: kyselyOver(connection) }));
}

/** Runs a hand-written statement where `ctx.db` is: in its transaction, if there is one. */
export async function run<R>(ctx: { db: Database }, { name, text, values }: Statement): Promise<R[]> {
  const { rows } = await ctx.db.executeQuery(namedQuery<R>(text, values, name));
  return rows;
}
