import assert from 'node:assert/strict';
import { isDistributed } from '../../src/db/distribute.ts';
import type { Engine, Statement } from '../../src/db/engine/engine.ts';
import { withLiterals } from './literals.ts';

export type Plan = {
  'Node Type': string;
  'Relation Name'?: string;
  'Plan Rows': number;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: Plan[];
  'Distributed Query'?: { Job: { Tasks?: { 'Remote Plan': [[{ Plan: Plan }]] }[] } };
};

/**
 * Runs the statement and returns the plan that the database used. With `explain analyze`, the workers of Citus ignore
 * the values of parameters when they plan, although they plan all other statements for their values.
 */
export async function planOf(engine: Engine, statement: Statement): Promise<Plan> {
  const { text, values } = (await isDistributed(engine))
    ? { text: withLiterals(statement), values: [] }
    : statement;
  const explain = `/* across tenants: a test reads the plan */ explain (analyze, format json) ${text}`;
  const { rows } = await engine.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>({ text: explain, values });
  const plan = rows[0]?.['QUERY PLAN'][0].Plan;
  assert.ok(plan);
  // On Citus, a worker has the plan.
  return plan['Distributed Query']?.Job.Tasks?.[0]?.['Remote Plan'][0][0].Plan ?? plan;
}

/** The plan of a statement that stays prepared. PostgreSQL makes it for any values, once the statement has run five times. */
export async function preparedPlanOf(engine: Engine, { text, values }: Statement): Promise<Plan> {
  if (await isDistributed(engine)) return planOf(engine, { text, values });
  return engine.transaction(async (connection) => {
    const send = (text: string) =>
      connection.query<{ 'QUERY PLAN': [{ Plan: Plan }] }>({
        text: `/* across tenants: a test reads the plan */ ${text}`,
        values: [],
      });
    await send('set local plan_cache_mode = force_generic_plan');
    await send(`prepare measured as ${text}`);
    const parameters = values.map((_, n) => `$${n + 1}`).join();
    const { rows } = await send(
      `explain (analyze, format json) ${withLiterals({ text: `execute measured(${parameters})`, values })}`,
    );
    await send('deallocate measured');
    const plan = rows[0]?.['QUERY PLAN'][0].Plan;
    assert.ok(plan);
    return plan;
  });
}

/** The step itself and all steps below it. */
export function* stepsOf(plan: Plan): Generator<Plan> {
  yield plan;
  for (const part of plan.Plans ?? []) yield* stepsOf(part);
}

/** The number of rows that one step visits, including those that it filters out. */
export const visitedBy = (step: Plan): number =>
  (step['Actual Rows'] +
    (step['Rows Removed by Filter'] ?? 0) +
    (step['Rows Removed by Index Recheck'] ?? 0)) *
  step['Actual Loops'];

/** The maximum number of rows that any step of the statement visits. */
export async function maxVisitedBy(engine: Engine, statement: Statement): Promise<number> {
  return Math.max(...[...stepsOf(await planOf(engine, statement))].map(visitedBy));
}
