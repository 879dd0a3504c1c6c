import type { Database } from './dialect.ts';
import { type Condition, type List, pageSql } from './page.ts';
import { parametersAfter } from './sql.ts';
import { run } from './transaction.ts';

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
  /**
   * SQL for the size of a row in bytes, on `held`. If it is set, a page ends after the row that takes it to 1
   * MiB.
   */
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

const readRows = 'rows_of_page';
const readBytes = 'bytes_before';

function boundedSql(tenantId: string, keyset: Keyset, after: KeyPosition | null) {
  const { text, values } = keysetSql(tenantId, keyset, after);
  const { bytes, key } = keyset;
  if (bytes === undefined) return { text, values };
  const order = key.map((name) => `held.${name}`).join(', ');
  const sized = `select held.*, count(*) over () as ${readRows},
      ${sumBefore(bytes, order)} as ${readBytes}
    from (${text}) held`;
  const fits = `held.${readBytes} < ${pageBytes}`;
  return { text: `select held.* from (${sized}) held where ${fits} order by ${order}`, values };
}

/** Reads page by page, so the cost of a statement does not grow with the table. */
export async function* pagesOf<R extends Row>(
  ctx: { db: Database; tenantId: string },
  keyset: Keyset,
): AsyncGenerator<R[]> {
  let after: KeyPosition | null = null;
  for (;;) {
    const found: R[] = await run<R>(ctx, boundedSql(ctx.tenantId, keyset, after));
    const rows = Number(found[0]?.[readRows] ?? found.length);
    const page = found.map(({ [readRows]: _, [readBytes]: __, ...row }) => row as R);
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
    const last: Row[] = await run(ctx, { text: `${text} offset ${keyset.rows - 1}`, values });
    after = positionOf(last[0], keyset.key);
    if (last.length > 0 && after.length > 0) continue;
    const rest = `select count(*)::integer as rows from (${text}) page`;
    const [row] = await run<{ rows: number }>(ctx, { text: rest, values });
    return Math.min(max, counted + (row?.rows ?? 0));
  }
  return max;
}
