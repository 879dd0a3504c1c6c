import { buildApp } from '../../src/app.ts';
import type { Context } from '../../src/platform/context.ts';
import { kyselyOn } from '../../src/platform/db/dialect.ts';
import type { Connection, Engine, Statement } from '../../src/platform/db/engine.ts';
import { recordAnswers } from './recorded-answers.ts';

/** The same database seen by a process of its own: nothing that is remembered is shared. */
export function otherNode(ctx: Context): Context {
  return onEngine(ctx, { ...ctx.engine });
}

export function onEngine(ctx: Context, engine: Engine): Context {
  return { ...ctx, engine, db: kyselyOn(engine) };
}

/** A context that tells of each statement before it runs. */
export function watched(ctx: Context, seen: (statement: Statement) => void | Promise<void>): Context {
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

/** Answers requests to the interface and the content origin on this context, without listening. */
export async function serve(ctx: Context) {
  const { api, content } = await buildApp(ctx, { observe: recordAnswers });
  const close = () => {
    const closed = Promise.all([api.close(), content.close()]);
    // A connection that was cut off by its client would be waited for until its keep-alive is over, 72 s.
    api.server.closeAllConnections();
    return closed;
  };
  return { api, content, close };
}
