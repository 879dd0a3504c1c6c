import type { TenantContext } from './context.ts';
import { run } from './db/transaction.ts';

/** SQL: the rows of a table for each of `$2`, which are IDs that its index begins with; `$3` is the most of all. */
export const eachOf = (table: string, column: string, where = 'true') => `
select 1 from unnest($2::uuid[]) own (id) cross join lateral (
  select 1 from ${table} held where held.tenant_id = $1 and held.${column} = own.id and ${where} limit $3
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
