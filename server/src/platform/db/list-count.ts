import type { Compilable } from 'kysely';
import type { Database } from './dialect.ts';
import { type List, visitedSql } from './list-scan.ts';
import { parametersAfter } from './parameters.ts';
import { run } from './transaction.ts';

/** `More` is true if counting stopped early, so `Records` is a minimum. */
export type RecordCount = { Records: number; More: boolean };

/** The number of rows that one statement visits. Each row can require two more look-ups. */
const visitedAtOnce = 1_000;
/** A count visits 10,000 rows at most. */
const usualStatements = 10;
/** The maximum count of a small list, which one statement counts. */
export const maxCounted = visitedAtOnce * usualStatements;

type PathOf = List['accessPaths'][number];
type Counted = { found: number; end: string[] | null; isInOrder: boolean };

/**
 * Counts the rows of a list. If a filter matches few rows, the count is exact. Otherwise, rows are counted
 * along the path with the most matches, up to a limit.
 */
export async function countRows(
  ctx: { db: Database },
  list: List,
  maxStatements = usualStatements,
): Promise<RecordCount> {
  let best: (Counted & { pathOf: PathOf }) | null = null;
  for (const pathOf of list.accessPaths) {
    const counted = await countBy(ctx, list, pathOf);
    if (counted.end === null) return { Records: counted.found, More: false };
    if (counted.isInOrder && counted.found >= (best?.found ?? 0)) best = { ...counted, pathOf };
  }
  if (best === null) throw new Error('A list needs a path in its own order.');
  const { pathOf } = best;
  let { found, end } = best;
  for (let n = list.accessPaths.length; n < maxStatements && end !== null; n++) {
    const next: Counted = await countBy(ctx, { ...list, after: end }, pathOf);
    found += next.found;
    end = next.end;
  }
  return { Records: found, More: end !== null };
}

/** Counts the matching rows along a path; null if the path has more rows than a statement visits. */
export async function countFew(ctx: { db: Database }, list: List, pathOf: PathOf): Promise<number | null> {
  const { found, end } = await countBy(ctx, list, pathOf);
  return end === null ? found : null;
}

/** Counts the rows of a small list. The query has a limit of `maxCounted` + 1 rows. */
export async function countSelected(ctx: { db: Database }, query: Compilable): Promise<RecordCount> {
  const { sql, parameters } = query.compile();
  const text = `select count(*)::integer as rows from (${sql}) found`;
  const [row] = await run<{ rows: number }>(ctx, { text, values: parameters });
  const rows = row?.rows ?? 0;
  return { Records: Math.min(rows, maxCounted), More: rows > maxCounted };
}

async function countBy(ctx: { db: Database }, list: List, pathOf: PathOf): Promise<Counted> {
  const parameters = parametersAfter(...list.values);
  const path = pathOf(parameters);
  const maxRows = Math.min(visitedAtOnce, list.maxScanned ?? visitedAtOnce);
  const rows = visitedSql(list, path, parameters, maxRows);
  // As text, keys keep the precision that they have in the database.
  const key = list.key.map((name) => `held.${name}::text`).join(', ');
  const text = `select held.visited, (count(*) filter (where held.found) over ())::integer as found, array[${key}] as key
    from (${rows}) held order by held.visited desc limit 1`;
  const [last] = await run<{ visited: number; found: number; key: string[] }>(ctx, {
    text,
    values: parameters.values,
  });
  return {
    found: last?.found ?? 0,
    end: last?.visited === maxRows ? last.key : null,
    isInOrder: path.order === undefined,
  };
}
