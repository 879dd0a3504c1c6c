import type { Context } from '../context.ts';
import { run } from '../db/transaction.ts';
import { analyzeForAllTenants, analyzeForTenants } from './tenant-growth.ts';

/**
 * Analyses tables that have outgrown their statistics. On PGlite, 200 bulk enrolments into a table
 * that had never been analysed used the wrong index and took 350 ms instead of 90. Autovacuum would
 * analyse the table only a minute later. On Citus, the tables of the coordinator are empty, and autovacuum
 * analyses the shards.
 */
export async function recordGrowth(ctx: Context, tables: readonly string[], rows: number): Promise<void> {
  const text = `select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relname = any($1) and reltuples < $2 and pg_relation_size(oid) > 0`;
  try {
    const young = await run<{ name: string }>(ctx, { text, values: [tables, rows] });
    for (const { name } of young) await analyze(ctx, name);
  } catch (error) {
    ctx.log.warn({ err: error }, 'could not analyse tables');
  }
}

async function analyze(ctx: Context, table: string): Promise<void> {
  await run(ctx, { text: `/* across tenants: statistics */ analyze (skip_locked) "${table}"`, values: [] });
}

/** Tables with at least 64 kB and four times as many pages as at their last analysis. */
const tablesToAnalyzeSql = `/* across tenants: statistics */
select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
  and pg_relation_size(oid) > greatest(65536, relpages::bigint * 4 * current_setting('block_size')::bigint)`;

/** Returns the tables that it analysed. */
export async function analyzeGrown(ctx: Context): Promise<string[]> {
  const rows = await run<{ name: string }>(ctx, { name: 'grown', text: tablesToAnalyzeSql, values: [] });
  for (const { name } of rows) await analyze(ctx, name);
  return rows.map(({ name }) => name);
}

const checkMilliseconds = 1_000;

/**
 * Keeps query plans good while a new database fills up. Plans made for empty tables are cached and
 * may use the wrong index: with 20,000 rows, 50 enrolments took 300 ms until autovacuum ran a
 * minute later. In a large database, it does the same for new tenants.
 */
export function watchGrowth(ctx: Context): { stop: () => Promise<void> } {
  let looking = Promise.resolve();
  let stopped = false;
  let isStart = true;
  const check = async () => {
    try {
      if (isStart) {
        isStart = false;
        await analyzeForAllTenants(ctx);
      }
      await analyzeGrown(ctx);
      await analyzeForTenants(ctx);
    } catch (error) {
      if (!stopped) ctx.log.warn({ err: error }, 'the analysis of tables failed; it will be retried');
    }
    if (!stopped) timer = setTimeout(begin, checkMilliseconds).unref();
  };
  const begin = () => {
    looking = check();
  };
  let timer = setTimeout(begin, checkMilliseconds).unref();
  return {
    stop: () => {
      stopped = true;
      clearTimeout(timer);
      return looking;
    },
  };
}
