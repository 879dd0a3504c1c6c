import type { Connection, Engine } from '../../src/db/engine/engine.ts';
import { unavailable } from '../../src/db/engine/wire.ts';
import type { Context } from '../../src/infra/context/context.ts';
import { onEngine } from './nodes.ts';

/**
 * `before`: the database never received the statement. `after`: the database received the statement, and the
 * connection was lost before its response.
 */
export type When = 'before' | 'after';

export type FaultyNode = {
  ctx: Context;
  /** The steps since `arm`: the name of each statement, or `COMMIT`. */
  steps: string[];
  /**
   * Loses the connection once, at the step with this number (counted from 0). With null, only records the
   * steps.
   */
  arm: (fault: { step: number; when: When } | null) => void;
};

/** A node that loses its connection to the database at a chosen step. */
export function faultyNode(ctx: Context): FaultyNode {
  const node: FaultyNode = { ctx, steps: [], arm: () => {} };
  let fault: { step: number; when: When } | null = null;
  node.arm = (next) => {
    node.steps = [];
    fault = next;
  };
  const lose = (step: number, when: When) => {
    if (fault?.step === step && fault.when === when)
      throw unavailable(new Error(`Lost ${when} ${node.steps[step]}.`));
  };
  const watch = (connection: Connection): Connection => ({
    query: async (statement) => {
      const step = node.steps.push(statement.text) - 1;
      lose(step, 'before');
      const rows = await connection.query<never>(statement);
      lose(step, 'after');
      return rows;
    },
  });
  const transaction: Engine['transaction'] = async (work) => {
    let step = -1;
    const result = await ctx.engine.transaction(async (connection) => {
      const done = await work(watch(connection));
      step = node.steps.push('COMMIT') - 1;
      lose(step, 'before');
      return done;
    });
    lose(step, 'after');
    return result;
  };
  node.ctx = onEngine(ctx, { ...ctx.engine, ...watch(ctx.engine), transaction });
  return node;
}
