import type { TenantContext } from './context.ts';
import { run } from './db/transaction.ts';

type Rows = { table: string; column: string; key: string; where?: string };

/**
 * SQL: the rows of a table for each of `$2`, which are IDs; `$3` is the most of all. An index begins with tenant, column and
 * key: in the order of the key, no other way of reading is cheaper.
 */
export const eachOf = ({ table, column, key, where = 'true' }: Rows) => `
select 1 from unnest($2::uuid[]) own (id) cross join lateral (
  select 1 from ${table} held where held.tenant_id = $1 and held.${column} = own.id and ${where}
  order by held.${key} limit $3
) one limit $3`;

/** How many rows the query has, whose text limits them. */
export async function countRows(
  ctx: TenantContext,
  text: string,
  values: readonly unknown[],
): Promise<number> {
  const counted = `select count(*)::integer as rows from (${text}) found`;
  const [row] = await run<{ rows: number }>(ctx, { text: counted, values: [ctx.tenantId, ...values] });
  return row?.rows ?? 0;
}
