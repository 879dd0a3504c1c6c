import type { Database } from './dialect.ts';
import { type Parameters, parametersAfter } from './parameters.ts';
import { run } from './transaction.ts';

/** Rows that a statement visits. On the embedded database 2,000 take 3 to 20 ms, and others wait for it. */
export const maxVisited = 2_000;

/**
 * A way to visit a list: conditions on `held`, each served by one index. `order`: the order of that index, if it is not
 * the list's; empty if there is none. Such a way is of use only if it has few rows. `rows`, `filter`: its own rows instead
 * of the list's, and a further condition.
 */
export type AccessPath = { ranges: readonly string[]; order?: string; rows?: string; filter?: string };

export type List = {
  /** SQL of the rows, called `held`, with a condition: `"user" held where held.tenant_id = $1`. */
  rows: string;
  /** Parameter values for the SQL in `rows`. */
  given: readonly unknown[];
  /** Columns by which the list is sorted, and their values in the last row of the previous page. */
  key: readonly string[];
  after: readonly unknown[] | null;
  newest?: boolean;
  /** The most selective first. */
  accessPaths: readonly ((parameters: Parameters) => AccessPath)[];
  /** SQL of all conditions on `held`. */
  filter: (parameters: Parameters) => string;
  /** SQL that adds the columns of the record to the rows of `page`, which it calls `held`. */
  show?: (page: string) => string;
  /** Rows of the page. */
  wanted: number;
};

/**
 * `end`: the row with which the visit ended before the page was full; null: the page is full, or the list has ended.
 * `read`: what the statement returned.
 */
export type Visit<R> = { rows: R[]; end: R | null; read: R[] };

export type Visited = { visited: number; found: boolean };

const orderOf = ({ key, newest }: List) =>
  key.map((name) => `held.${name} ${newest ? 'desc' : 'asc'}`).join(', ');

function afterSql({ key, after, newest }: List, { add }: Parameters): string {
  if (after === null) return '';
  const names = key.map((name) => `held.${name}`).join(', ');
  return ` and (${names}) ${newest ? '<' : '>'} (${after.map(add).join(', ')})`;
}

/** SQL of the first rows of a way that match; one that does not match is among them if the visit ended with it. */
export function visitSql(list: List, path: AccessPath, parameters: Parameters, most: number): string {
  const order = orderOf(list);
  const own = path.order ?? order;
  const inOwn = own === '' ? '' : `order by ${own}`;
  const after = afterSql(list, parameters);
  const inRange = path.order === undefined ? after : '';
  const ranges = path.ranges.map(
    (range) => `(select held.* from ${path.rows ?? list.rows} and ${range}${inRange} ${inOwn} limit ${most})`,
  );
  const merged = `(select held.* from (${ranges.join(' union all ')}) held ${inOwn} limit ${most})`;
  const filter = `${path.filter ?? 'true'} and ${list.filter(parameters)}${path.order === undefined ? '' : after}`;
  return `select held.* from (
    select held.*, row_number() over (${inOwn})::integer as visited, coalesce(${filter}, false) as found
    from ${ranges.length === 1 ? ranges[0] : merged} held
  ) held where held.found or held.visited = ${most}
  order by ${path.order === undefined ? '' : `held.visited = ${most} desc, `}${order} limit ${parameters.add(list.wanted + 1)}`;
}

type Key = Date | number | string;

function compareKeys(one: Key, other: Key): number {
  if (typeof one === 'string') return Buffer.compare(Buffer.from(one), Buffer.from(String(other)));
  return Number(one) - Number(other);
}

/** Whether a row is behind another in the list. */
function isBehind<R>({ key, newest }: List, row: R, other: R): boolean {
  for (const name of key) {
    const compared = compareKeys(row[name as keyof R] as Key, other[name as keyof R] as Key);
    if (compared !== 0) return newest ? compared < 0 : compared > 0;
  }
  return false;
}

/**
 * The next rows of a list, found in statements that visit a bounded number of rows, whatever the filters: no index
 * serves several of them, and each may match many rows where all together match none. If the first way neither fills
 * the page nor ends, the others are tried, and the one that came furthest counts.
 */
export async function visitRows<R extends object>(ctx: { db: Database }, list: List): Promise<Visit<R>> {
  const visit = await tryAccessPaths<R>(ctx, list);
  if (visit === null) throw new Error('A list needs a path in its own order.');
  return visit;
}

/** Null: all ways are in other orders, and each has many rows. */
export async function tryAccessPaths<R extends object>(
  ctx: { db: Database },
  list: List,
): Promise<Visit<R> | null> {
  const [first] = list.accessPaths;
  const most = firstVisited(list);
  const visit = first && (await visitBy<R>(ctx, list, first, most));
  if (visit?.isDone) return visit;
  let furthest: (Visit<R> & { end: R }) | null = null;
  for (const pathOf of list.accessPaths) {
    const { isDone, isInOrder, ...visit } = await visitBy<R>(ctx, list, pathOf, maxVisited);
    if (isDone) return visit;
    const { end } = visit;
    if (!isInOrder || end === null) continue;
    if (furthest === null || isBehind(list, end, furthest.end)) furthest = { ...visit, end };
  }
  return furthest;
}

/** Most pages are full after few rows. Measured: if 2,000 may be visited, the planner sorts all rows of a range instead. */
const firstVisited = ({ wanted }: List) => Math.max(100, 2 * wanted);

async function visitBy<R extends object>(
  ctx: { db: Database },
  list: List,
  pathOf: List['accessPaths'][number],
  most: number,
): Promise<Visit<R> & { isDone: boolean; isInOrder: boolean }> {
  const parameters = parametersAfter(...list.given);
  const path = pathOf(parameters);
  const page = visitSql(list, path, parameters, most);
  const text = list.show ? `${list.show(page)} order by ${orderOf(list)}` : page;
  const visit = readVisit(await run<R & Visited>(ctx, { text, values: parameters.values }), most);
  const isInOrder = path.order === undefined;
  const isFull = isInOrder && visit.rows.length > list.wanted;
  return { ...visit, end: isFull ? null : visit.end, isDone: isFull || visit.end === null, isInOrder };
}

/** The rows that match, and the one with which the visit ended. */
export function readVisit<R>(rows: (R & Visited)[], most: number): Visit<R> {
  const end = rows.find((row) => row.visited === most) ?? null;
  return { rows: rows.filter(({ found }) => found), end, read: rows };
}
