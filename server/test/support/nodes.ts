import { buildApp } from '../../src/app/app.ts';
import type { Connection, Engine, Statement } from '../../src/db/engine/engine.ts';
import { kyselyForEngine } from '../../src/db/transaction.ts';
import { type Context, openState } from '../../src/infra/context/context.ts';
import { closeServers } from './close-servers.ts';
import { recordResponses } from './recorded-responses.ts';

/** The same database as seen by another process, which shares no caches. */
export function otherNode(ctx: Context): Context {
  return onEngine(ctx, ctx.engine);
}

export function onEngine(ctx: Context, engine: Engine): Context {
  return { ...ctx, engine, state: openState(), db: kyselyForEngine(engine) };
}

/** A context that reports each statement before it runs. */
export function observed(ctx: Context, seen: (statement: Statement) => void | Promise<void>): Context {
  const watch = (connection: Connection): Connection => ({
    query: async (statement) => {
      await seen(statement);
      return connection.query(statement);
    },
  });
  return onEngine(ctx, {
    ...ctx.engine,
    ...watch(ctx.engine),
    transaction: (work) => ctx.engine.transaction((connection) => work(watch(connection))),
  });
}

/** Whether the statement calls the function in `migrations/functions` with this name. */
export const calls = ({ text }: Statement, name: string): boolean =>
  new RegExp(` from ${name}_[0-9a-f]{12}\\(`).test(text);

/** Serves the API and the content origin on this context, without listening. */
export async function serve(ctx: Context) {
  const { api, content } = await buildApp(ctx, { observe: recordResponses });
  return { api, content, close: () => closeServers([api, content]) };
}
