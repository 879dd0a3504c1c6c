import type { Compilable } from 'kysely';
import { type Database, type Parameters, parametersAfter, run, runUnprepared } from './transaction.ts';

type Rows = { table: string; column: string; key: string; where?: string };

/**
 * SQL that selects at most `$3` of the table's rows whose column has an ID from `$2`. The index begins with
 * tenant, column and key, and ordering by the key makes the planner use it.
 */
export const countUpToSql = ({ table, column, key, where = 'true' }: Rows) => `
select 1 from unnest($2::uuid[]) own (id) cross join lateral (
  select 1 from ${table} held where held.tenant_id = $1 and held.${column} = own.id and ${where}
  order by held.${key} limit $3
) one limit $3`;

/** Counts the rows of a query that has its own limit. */
export async function countTenantRows(
  ctx: { db: Database; tenantId: string },
  text: string,
  values: readonly unknown[],
): Promise<number> {
  const counted = `select count(*)::integer as rows from (${text}) found`;
  const [row] = await run<{ rows: number }>(ctx, counted, [ctx.tenantId, ...values]);
  return row?.rows ?? 0;
}

export type Row = Record<string, unknown>;

/**
 * One tenant's rows in the order of an index. `of` gives the values of the index columns before the key. The key cannot
 * contain a time, because its microseconds would be lost.
 */
export type Keyset = {
  table: string;
  of?: Record<string, unknown>;
  /** An additional constant condition on `held`. */
  where?: string;
  key: readonly string[];
  /** Maximum rows on a page. */
  rows: number;
  /** SQL for the size of a row in bytes, on `held`. If it is set, a page ends after the row that takes it to 1 MiB. */
  bytes?: string | undefined;
};

/** Rows are read until their total size reaches this many bytes. */
export const pageBytes = 1024 ** 2;

/**
 * SQL for the sum over all previous rows in this order. Summing the lengths of large values does
 * not read the values, because PostgreSQL stores each length next to the value's address.
 */
export const sumBefore = (value: string, order: string) =>
  `coalesce(sum(${value}) over (order by ${order} rows between unbounded preceding and 1 preceding), 0)`;

/** The key values of the last row that was read. */
export type KeyPosition = readonly unknown[];

export const positionOf = (row: Row | undefined, key: readonly string[]): KeyPosition =>
  key.map((name) => row?.[name]);

/** SQL and parameter values for the rows after a position, in key order. The table has the alias `held`. */
export function keysetSql(tenantId: string, keyset: Keyset, after: KeyPosition | null, columns = 'held.*') {
  const { table, of = {}, where, key, rows } = keyset;
  const parameters = parametersAfter(tenantId);
  const list: List = {
    rows: `"${table}" held where held.tenant_id = $1`,
    values: [tenantId],
    where: [
      ...Object.entries(of).map(
        ([name, value]): Condition =>
          ({ add }) =>
            `held.${name} = ${add(value)}`,
      ),
      ...(where ? [() => where] : []),
    ],
    key,
    after,
  };
  return { text: pageSql(list, rows, parameters, columns), ...parameters };
}

const rowsColumn = 'rows_of_page';
const bytesColumn = 'bytes_before';

function boundedSql(tenantId: string, keyset: Keyset, after: KeyPosition | null) {
  const { text, values } = keysetSql(tenantId, keyset, after);
  const { bytes, key } = keyset;
  if (bytes === undefined) return { text, values };
  const order = key.map((name) => `held.${name}`).join(', ');
  const sized = `select held.*, count(*) over () as ${rowsColumn},
      ${sumBefore(bytes, order)} as ${bytesColumn}
    from (${text}) held`;
  const fits = `held.${bytesColumn} < ${pageBytes}`;
  return { text: `select held.* from (${sized}) held where ${fits} order by ${order}`, values };
}

/** Reads page by page, so the cost of a statement does not grow with the table. */
export async function* pagesOf<R extends Row>(
  ctx: { db: Database; tenantId: string },
  keyset: Keyset,
): AsyncGenerator<R[]> {
  let after: KeyPosition | null = null;
  for (;;) {
    const { text, values } = boundedSql(ctx.tenantId, keyset, after);
    const found: R[] = await run<R>(ctx, text, values);
    const rows = Number(found[0]?.[rowsColumn] ?? found.length);
    const page = found.map(({ [rowsColumn]: _, [bytesColumn]: __, ...row }) => row as R);
    if (page.length > 0) yield page;
    if (page.length === rows && (rows < keyset.rows || keyset.key.length === 0)) return;
    after = positionOf(page.at(-1), keyset.key);
  }
}

export async function* rowsOf<R extends Row>(
  ctx: { db: Database; tenantId: string },
  keyset: Keyset,
): AsyncGenerator<R> {
  for await (const page of pagesOf<R>(ctx, keyset)) yield* page;
}

/** Counts the rows page by page, up to a maximum. */
export async function countPages(
  ctx: { db: Database; tenantId: string },
  keyset: Keyset,
  max = Number.POSITIVE_INFINITY,
): Promise<number> {
  const columns = keyset.key.map((name) => `held.${name}`).join(', ') || '1';
  let after: KeyPosition | null = null;
  let counted = 0;
  for (; counted < max; counted += keyset.rows) {
    const { text, values } = keysetSql(ctx.tenantId, keyset, after, columns);
    const last: Row[] = await run(ctx, `${text} offset ${keyset.rows - 1}`, values);
    after = positionOf(last[0], keyset.key);
    if (last.length > 0 && after.length > 0) continue;
    const rest = `select count(*)::integer as rows from (${text}) page`;
    const [row] = await run<{ rows: number }>(ctx, rest, values);
    return Math.min(max, counted + (row?.rows ?? 0));
  }
  return max;
}

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
  return runUnprepared<R>(ctx, text, parameters.values);
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
  const [row] = await runUnprepared<{ rows: number }>(ctx, counted, [...values]);
  const rows = row?.rows ?? 0;
  return { Records: Math.min(rows, maxCounted), More: rows > maxCounted };
}
