import type { Database } from './dialect.ts';
import { run } from './transaction.ts';

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
export async function countRows(
  ctx: { db: Database; tenantId: string },
  text: string,
  values: readonly unknown[],
): Promise<number> {
  const counted = `select count(*)::integer as rows from (${text}) found`;
  const [row] = await run<{ rows: number }>(ctx, { text: counted, values: [ctx.tenantId, ...values] });
  return row?.rows ?? 0;
}
