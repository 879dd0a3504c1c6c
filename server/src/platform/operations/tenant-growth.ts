import type { Context, TenantContext } from '../context.ts';
import { run, runUnprepared } from '../db/transaction.ts';
import { partOfState } from '../node-state.ts';

/** Searches look up rows of these tables one by one. */
const tables = ['user', 'user_word', 'enrolment'] as const;
type Table = (typeof tables)[number];

/** A tenant is examined each time this node has created so many rows for it. */
const examineEvery = 100;
/** With fewer expected rows, an index that finds all rows of the tenant may look as good as one that finds a single row. */
const fewExpected = examineEvery / 4;

/** The rows that this node has created since it last examined the tenant, and the number at which it does so again. */
type Growth = { rows: number; examineAt: number };

const maxTenants = 10_000;
const examinedPerCheck = 50;
const pauseMilliseconds = 10_000;
const maxPauseMilliseconds = 60_000;
/** On the embedded database, all other statements wait during an analysis, so it may take up only this share of the time. */
const maxShareOfTime = 0.05;

/** The tenants are in the order of their latest growth. All tenants in `due` are also in `tenants`. */
const growthOf = partOfState('growth_of_tenants', () => {
  const none = () => ({ tenants: new Map<string, Growth>(), due: new Set<string>(), pausedUntil: 0 });
  return { user: none(), user_word: none(), enrolment: none() };
});

/** Counts rows that were created for the tenant of `ctx`. */
export function countCreated(ctx: TenantContext, grown: readonly Table[], rows: number): void {
  if (rows === 0 || ctx.isDryRun) return;
  for (const table of grown) {
    const { tenants, due } = growthOf(ctx)[table];
    const growth = tenants.get(ctx.tenantId) ?? { rows: 0, examineAt: examineEvery };
    growth.rows += rows;
    tenants.delete(ctx.tenantId);
    tenants.set(ctx.tenantId, growth);
    if (growth.rows >= growth.examineAt) due.add(ctx.tenantId);
    const [oldest] = tenants.keys();
    if (tenants.size <= maxTenants || oldest === undefined) continue;
    tenants.delete(oldest);
    due.delete(oldest);
  }
}

/**
 * If the statistics of `tenant_id` contain all tenants but one, PostgreSQL expects a single row for that tenant. It may
 * then read all of the tenant's rows for each row of a search, until autovacuum analyses the table because 10 % of it
 * has changed. This function analyses the column as soon as such a tenant has grown. Returns the analysed tables.
 */
export async function analyzeForTenants(ctx: Context, now = performance.now()): Promise<Table[]> {
  const analyzed: Table[] = [];
  for (const table of tables) {
    const { due, pausedUntil } = growthOf(ctx)[table];
    if (due.size === 0 || now < pausedUntil) continue;
    if (!(await hasRows(ctx, table))) due.clear();
    else if (await analyzeFor(ctx, table, now)) analyzed.push(table);
  }
  return analyzed;
}

async function analyzeFor(ctx: Context, table: Table, now: number): Promise<boolean> {
  const own = growthOf(ctx)[table];
  let isAnalyzed = false;
  for (const tenantId of [...own.due].slice(0, examinedPerCheck)) {
    const unexpected = await countUnexpected(ctx, table, tenantId);
    own.due.delete(tenantId);
    const growth = own.tenants.get(tenantId);
    if (!growth) continue;
    const isUnknown = unexpected === examineEvery;
    // If rows were deleted, the next ones come on top of those that are left.
    growth.rows = isUnknown ? 0 : unexpected;
    // An analysis does not help if the table is so large that its sample contains hardly any rows of the tenant.
    growth.examineAt = isUnknown ? growth.examineAt * 2 : examineEvery;
    if (!isUnknown || isAnalyzed) continue;
    isAnalyzed = true;
    const began = performance.now();
    try {
      await analyzeTenants(ctx, table);
    } finally {
      own.pausedUntil = now + pauseAfter(performance.now() - began);
    }
    if ((await countUnexpected(ctx, table, tenantId)) === 0) growth.examineAt = examineEvery;
  }
  return isAnalyzed;
}

const pauseAfter = (milliseconds: number) =>
  Math.min(maxPauseMilliseconds, Math.max(pauseMilliseconds, milliseconds / maxShareOfTime));

/** For the start of a node, which does not know what was created before. */
export async function analyzeForAllTenants(ctx: Context): Promise<void> {
  for (const table of tables) if (await hasRows(ctx, table)) await analyzeTenants(ctx, table);
}

/** All columns would take several times as long. Autovacuum still counts the changed rows for its own analysis. */
async function analyzeTenants(ctx: Context, table: Table): Promise<void> {
  const text = `/* across tenants: statistics */ analyze (skip_locked) "${table}" (tenant_id)`;
  await run(ctx, { text, values: [] });
}

/** On Citus, the tables of the coordinator are empty, and autovacuum analyses the shards. */
async function hasRows(ctx: Context, table: Table): Promise<boolean> {
  const text = `select from pg_class
    where relnamespace = 'public'::regnamespace and relname = $1 and pg_relation_size(oid) > 0`;
  return (await run(ctx, { name: 'has_rows', text, values: [table] })).length > 0;
}

type Explained = { 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] };

/** The number of the tenant's rows, at most `examineEvery`; 0 if the database expects enough of them. */
async function countUnexpected(ctx: Context, table: Table, tenantId: string): Promise<number> {
  const rows = `select from "${table}" where tenant_id = $1`;
  const explain = `/* across tenants: statistics */ explain (format json) ${rows}`;
  const [explained] = await runUnprepared<Explained>(ctx, { text: explain, values: [tenantId] });
  if (!explained || explained['QUERY PLAN'][0].Plan['Plan Rows'] >= fewExpected) return 0;
  const count = `/* across tenants: statistics */ select count(*)::integer as rows from (${rows} limit ${examineEvery}) few`;
  const [found] = await runUnprepared<{ rows: number }>(ctx, { text: count, values: [tenantId] });
  return found?.rows ?? 0;
}
