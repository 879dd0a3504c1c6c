import type { Compilable } from 'kysely';
import type { Database } from './dialect.ts';
import { type Parameters, parametersAfter } from './sql.ts';
import { runUnprepared } from './transaction.ts';

/** SQL for a condition on the rows, which are called `held`. */
export type Condition = (parameters: Parameters) => string;

export type List = {
  /** The table, called `held`, with a condition: `"user" held where held.tenant_id = $1`. */
  rows: string;
  /** Further rows, none of which is in `rows`. */
  more?: string;
  /** Parameter values for the SQL in `rows` and `more`. */
  values: readonly unknown[];
  where: readonly Condition[];
  /** Columns by which the list is sorted, and their values in the last row of the previous page. */
  key: readonly string[];
  after: readonly unknown[] | null;
  newest?: boolean;
  /** SQL that adds the record's columns to the rows of `page`, which it calls `held`. */
  show?: (page: string, parameters: Parameters) => string;
};

/** `More` is true if counting stopped early, so `Records` is a minimum. */
export type RecordCount = { Records: number; More: boolean };

export const maxCounted = 10_000;

const orderOf = ({ key, newest }: List) =>
  key.map((name) => `held.${name} ${newest ? 'desc' : 'asc'}`).join(', ');

const sourcesOf = ({ rows, more }: List) => (more === undefined ? [rows] : [rows, more]);

/** SQL for the first rows of a list, with all conditions. Rows from two sources are each read in the list's order. */
function selectSql(
  list: List,
  { columns, order, maxRows }: { columns: string; order: string; maxRows: number },
  parameters: Parameters,
): string {
  const end = `${order} limit ${maxRows}`;
  const selects = sourcesOf(list).map((rows) =>
    [`select ${columns} from ${rows}`, ...list.where.map((condition) => condition(parameters))].join(' and '),
  );
  if (selects.length === 1) return `${selects[0]} ${end}`;
  return `select * from (${selects.map((select) => `(${select} ${end})`).join(' union all ')}) held ${end}`;
}

/** SQL for the first rows after the previous page. */
export function pageSql(list: List, maxRows: number, parameters: Parameters, columns = 'held.*'): string {
  const { key, after, newest } = list;
  const isAfter: Condition = ({ add }) =>
    `(${key.map((name) => `held.${name}`).join(', ')}) ${newest ? '<' : '>'} (${after?.map(add).join(', ')})`;
  const where = after === null || key.length === 0 ? list.where : [...list.where, isAfter];
  const order = key.length === 0 ? '' : `order by ${orderOf(list)}`;
  return selectSql({ ...list, where }, { columns, order, maxRows }, parameters);
}

/** Reads the first rows after the previous page. The database plans each list for the values of its filters. */
export function readRows<R>(ctx: { db: Database }, list: List, maxRows: number): Promise<R[]> {
  const parameters = parametersAfter(...list.values);
  const page = pageSql(list, maxRows, parameters);
  const text = list.show ? `${list.show(page, parameters)} order by ${orderOf(list)}` : page;
  return runUnprepared<R>(ctx, { text, values: parameters.values });
}

/** Counts the rows of a list, up to a maximum. */
export function countRows(ctx: { db: Database }, list: List): Promise<RecordCount> {
  const parameters = parametersAfter(...list.values);
  const text = selectSql(list, { columns: '1', order: '', maxRows: maxCounted + 1 }, parameters);
  return countSql(ctx, text, parameters.values);
}

/** Counts the rows of a query, up to a maximum. */
export function countSelected(
  ctx: { db: Database },
  query: { limit: (rows: number) => Compilable },
): Promise<RecordCount> {
  const { sql, parameters } = query.limit(maxCounted + 1).compile();
  return countSql(ctx, sql, parameters);
}

async function countSql(
  ctx: { db: Database },
  text: string,
  values: readonly unknown[],
): Promise<RecordCount> {
  const counted = `select count(*)::integer as rows from (${text}) found`;
  const [row] = await runUnprepared<{ rows: number }>(ctx, { text: counted, values: [...values] });
  const rows = row?.rows ?? 0;
  return { Records: Math.min(rows, maxCounted), More: rows > maxCounted };
}
