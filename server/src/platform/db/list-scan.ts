import type { Database } from './dialect.ts';
import { type Parameters, parametersAfter } from './parameters.ts';
import { run } from './transaction.ts';

/**
 * Maximum rows that one statement visits. On the embedded database 2,000 rows take 3 to 20 ms, while other statements
 * wait.
 */
export const maxScanned = 2_000;

/** SQL for a column of `held`, and for the value that this column has in all rows that are read. */
export type Fixed = { column: string; value: string };

/** A way to read a list through one index. */
export type AccessPath = {
  /** Conditions on `held`. */
  ranges: readonly string[];
  /** The index column before the key. */
  fixed?: Fixed;
  /**
   * Missing if the index has the list's order. Otherwise, the index's own order, or '' if it has none; such a
   * path helps only if it finds few rows.
   */
  order?: string;
  /** SQL that replaces the list's rows. */
  rows?: string;
  /** An additional condition. */
  filter?: string;
};

export type ListOrder = {
  /** Columns by which the list is sorted, and their values in the last row of the previous page. */
  key: readonly string[];
  after: readonly unknown[] | null;
  newest?: boolean;
};

export type List = ListOrder & {
  /** SQL for the rows, called `held`, with a condition: `"user" held where held.tenant_id = $1`. */
  rows: string;
  /** Parameter values for the SQL in `rows`. */
  values: readonly unknown[];
  /** Ordered by selectivity, the most selective first. */
  accessPaths: readonly ((parameters: Parameters) => AccessPath)[];
  /** SQL for all conditions on `held`. */
  filter: (parameters: Parameters) => string;
  /** SQL that adds the record's columns to the rows of `page`, which it calls `held`. */
  show?: (page: string) => string;
  /** Maximum rows on the page. */
  wanted: number;
  /** Maximum rows that a statement visits, for lists whose rows need several look-ups each. */
  maxScanned?: number;
};

/**
 * `end` is the row at which the visit stopped before the page was full. It is null if the page is full or the
 * list has ended. `read` contains all rows that the statement returned.
 */
export type Visit<R> = { rows: R[]; end: R | null; read: R[] };

export type Visited = { visited: number; found: boolean };

const orderOf = ({ key, newest }: ListOrder) =>
  key.map((name) => `held.${name} ${newest ? 'desc' : 'asc'}`).join(', ');

function afterSql({ key, after, newest }: ListOrder, { add }: Parameters): string {
  if (after === null) return '';
  const names = key.map((name) => `held.${name}`).join(', ');
  return ` and (${names}) ${newest ? '<' : '>'} (${after.map(add).join(', ')})`;
}

/**
 * SQL for a condition that selects the rows with a fixed value, after the row with this key. Sort by that
 * column first. The condition is a range, because with `=` PostgreSQL would not sort by the column. It might
 * then read another index from its start until it finds the value.
 */
export function fixedSql(
  { column, value }: Fixed,
  after?: { key: string; values: string; isBefore?: boolean },
) {
  if (!after) return `${column} between ${value} and ${value}`;
  const [further, within] = after.isBefore ? ['<', '>='] : ['>', '<='];
  return `(${column}, ${after.key}) ${further} (${value}, ${after.values}) and ${column} ${within} ${value}`;
}

/** SQL for an access path: a condition in addition to its ranges, and its order. */
export function orderedRange(list: ListOrder, { fixed, order }: AccessPath, parameters: Parameters) {
  const { key, newest = false } = list;
  const isInOrder = order === undefined;
  const own = order ?? orderOf(list);
  if (!fixed) return { condition: isInOrder ? afterSql(list, parameters) : '', order: own };
  const after = isInOrder &&
    list.after !== null && {
      key: key.map((name) => `held.${name}`).join(', '),
      values: list.after.map(parameters.add).join(', '),
      isBefore: newest,
    };
  return {
    condition: ` and ${fixedSql(fixed, after || undefined)}`,
    order: `${fixed.column} ${isInOrder && newest ? 'desc' : 'asc'}, ${own}`,
  };
}

/** SQL for a path's first rows, numbered by `visited`; `found` says whether they match. */
export function visitedSql(list: List, path: AccessPath, parameters: Parameters, maxRows: number): string {
  const range = orderedRange(list, path, parameters);
  const inOwn = range.order === '' ? '' : `order by ${range.order}`;
  const ranges = path.ranges.map(
    (own) =>
      `(select held.* from ${path.rows ?? list.rows} and ${own}${range.condition} ${inOwn} limit ${maxRows})`,
  );
  const merged = `(select held.* from (${ranges.join(' union all ')}) held ${inOwn} limit ${maxRows})`;
  const filter = `${path.filter ?? 'true'} and ${list.filter(parameters)}${path.order === undefined ? '' : afterSql(list, parameters)}`;
  return `select held.*, row_number() over (${inOwn})::integer as visited, coalesce(${filter}, false) as found
    from ${ranges.length === 1 ? ranges[0] : merged} held`;
}

/** SQL for a path's first matching rows. If the visit stopped at a row that does not match, that row is included. */
export function visitSql(list: List, path: AccessPath, parameters: Parameters, maxRows: number): string {
  const order = orderOf(list);
  const visited = visitedSql(list, path, parameters, maxRows);
  return `select held.* from (${visited}) held where held.found or held.visited = ${maxRows}
  order by ${path.order === undefined ? '' : `held.visited = ${maxRows} desc, `}${order} limit ${parameters.add(list.wanted + 1)}`;
}

type Key = Date | number | string;

function compareKeys(one: Key, other: Key): number {
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(String(other)));
  return Number(one) - Number(other);
}

/** Whether a row comes after another in the list. */
function isBehind<R>({ key, newest }: List, row: R, other: R): boolean {
  for (const name of key) {
    const compared = compareKeys(row[name as keyof R] as Key, other[name as keyof R] as Key);
    if (compared !== 0) return newest ? compared < 0 : compared > 0;
  }
  return false;
}

/**
 * Reads the next rows of a list with statements that each visit a limited number of rows. No index covers
 * several filters, and each filter can match many rows. If the first path neither fills the page nor reaches
 * its own end, the other paths are tried, and the one that got furthest is used.
 */
export async function scanRows<R extends object>(ctx: { db: Database }, list: List): Promise<Visit<R>> {
  const visit = await tryAccessPaths<R>(ctx, list);
  if (visit === null) throw new Error('A list needs a path in its own order.');
  return visit;
}

/** Returns null if every path has many rows and none has the list's order. */
export async function tryAccessPaths<R extends object>(
  ctx: { db: Database },
  list: List,
): Promise<Visit<R> | null> {
  const [first] = list.accessPaths;
  const maxRows = firstScanLimit(list);
  const visit = first && (await scanBy<R>(ctx, list, first, maxRows));
  if (visit?.isDone) return visit;
  let furthest: (Visit<R> & { end: R }) | null = null;
  for (const pathOf of list.accessPaths) {
    const { isDone, isInOrder, ...visit } = await scanBy<R>(ctx, list, pathOf, list.maxScanned ?? maxScanned);
    if (isDone) return visit;
    const { end } = visit;
    if (!isInOrder || end === null) continue;
    if (furthest === null || isBehind(list, end, furthest.end)) furthest = { ...visit, end };
  }
  return furthest;
}

/**
 * The next matching rows along a path that is not in the list's order, one more than wanted at most; null if the path
 * has more rows than a statement visits.
 */
export async function readFew<R extends object>(
  ctx: { db: Database },
  list: List,
  pathOf: List['accessPaths'][number],
): Promise<R[] | null> {
  const { rows, isDone } = await scanBy<R>(ctx, list, pathOf, list.maxScanned ?? maxScanned);
  return isDone ? rows : null;
}

/** The first rows of several reads, as if one had read them all. */
export function mergeRows<R>(list: List, reads: readonly R[][]): R[] {
  const inOrder = reads.flat().sort((one, other) => (isBehind(list, one, other) ? 1 : -1));
  return inOrder.slice(0, list.wanted + 1);
}

/**
 * Most pages are full after a few rows, so the first scan has a low limit. With a limit of 2,000, the planner
 * would sort all rows of a range.
 */
const firstScanLimit = ({ wanted }: List) => Math.max(100, 2 * wanted);

async function scanBy<R extends object>(
  ctx: { db: Database },
  list: List,
  pathOf: List['accessPaths'][number],
  maxRows: number,
): Promise<Visit<R> & { isDone: boolean; isInOrder: boolean }> {
  const parameters = parametersAfter(...list.values);
  const path = pathOf(parameters);
  const page = visitSql(list, path, parameters, maxRows);
  const text = list.show ? `${list.show(page)} order by ${orderOf(list)}` : page;
  const visit = readVisit(await run<R & Visited>(ctx, { text, values: parameters.values }), maxRows);
  const isInOrder = path.order === undefined;
  const isFull = isInOrder && visit.rows.length > list.wanted;
  return { ...visit, end: isFull ? null : visit.end, isDone: isFull || visit.end === null, isInOrder };
}

/** Separates the matching rows, and finds the row at which the visit stopped. */
export function readVisit<R>(rows: (R & Visited)[], maxRows: number): Visit<R> {
  const end = rows.find((row) => row.visited === maxRows) ?? null;
  return { rows: rows.filter(({ found }) => found), end, read: rows };
}
