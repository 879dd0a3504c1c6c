import type { Engine, Statement } from '../../src/db/engine/engine.ts';
import { openPostgres } from '../../src/db/engine/postgres.ts';
import { assertTenantScoped } from '../../src/db/guard/tenant-guard.ts';
import { migrate } from '../../src/db/migrate.ts';
import { locations } from '../../src/lib/locations.ts';
import { withLiterals } from './literals.ts';
import { recordedStatements } from './recorded-statements.ts';
import { emptyServerDatabase } from './server-database.ts';

const explainable = /^\s*(\/\*[^*]*\*\/\s*)?(select|insert|update|delete|with|values)\b/i;
/** Tests read system tables, but requests to the service do not. */
const readsSystem = /\b(information_schema|pg_\w+)\b/;

/** The numbers of shards to which the steps of a plan go, in the JSON of EXPLAIN. */
function* tasksIn(plan: unknown): Generator<number> {
  if (typeof plan !== 'object' || plan === null) return;
  for (const [name, value] of Object.entries(plan))
    if (name === 'Task Count') yield Number(value);
    // These are the plans of PostgreSQL on the shards.
    else if (name !== 'Tasks') yield* tasksIn(value);
}

type Routing = 'one shard' | 'steps on one shard' | 'rows through the coordinator' | { wrong: string };

async function routingOf(engine: Engine, statement: Statement): Promise<Routing> {
  const explain = (text: string, values: readonly unknown[]) =>
    engine.query<object>({ text: `explain (format json) ${text}`, values });
  try {
    // Citus plans some statements only for known values, and PostgreSQL some only with parameters.
    const { rows } = await explain(withLiterals(statement), []).catch(() =>
      explain(statement.text, statement.values),
    );
    const tasks = [...tasksIn(rows)];
    // With a condition that is false for these values, Citus runs none of the steps, although PostgreSQL would.
    if (tasks.length > 1 && tasks.includes(0)) return { wrong: 'is skipped although it has several writes' };
    if (tasks.some((count) => count > 1)) return { wrong: `goes to ${Math.max(...tasks)} shards` };
    if (JSON.stringify(rows).includes('"pull to coordinator"')) return 'rows through the coordinator';
    return tasks.length > 1 ? 'steps on one shard' : 'one shard';
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Plans each recorded statement, except those that intentionally span tenants. Counts those that go to one shard,
 * those with several writes, of which Citus sends each to one shard as a step of its own, and those that insert rows
 * which the coordinator has read from one shard. Returns all others.
 */
export async function checkRouting(folder: string, serverUrl: string) {
  const database = await emptyServerDatabase(serverUrl);
  const engine = await openPostgres({ url: database.url, max: 2 });
  const result = {
    'one shard': 0,
    'steps on one shard': 0,
    'rows through the coordinator': 0,
    wrong: [] as string[],
  };
  try {
    await migrate(engine, locations.migrations);
    for (const statement of recordedStatements(folder)) {
      const { text } = statement;
      if (!explainable.test(text) || readsSystem.test(text)) continue;
      if (assertTenantScoped(text).kind === 'across tenants') continue;
      const routing = await routingOf(engine, statement);
      if (typeof routing === 'string') result[routing]++;
      else result.wrong.push(`${routing.wrong}: ${text}`);
    }
    return result;
  } finally {
    await engine.close();
    await database.drop();
  }
}
