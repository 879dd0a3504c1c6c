import { sql } from 'kysely';
import type { TenantContext } from '../../platform/context.ts';
import { type PageQuery, pageLimit, readCursor, toPage } from '../../platform/pagination.ts';
import { beyond, filterSql, type UserFilter } from './filter.ts';
import { toUser } from './record.ts';
import { searchUsers } from './search.ts';

export async function listUsers(ctx: TenantContext, input: UserFilter) {
  if (input.Search !== undefined) return searchUsers(ctx, { ...input, Search: input.Search });
  const limit = pageLimit(input);
  const after = readCursor(input);
  let query = ctx.db
    .selectFrom('user as known')
    .selectAll()
    .where('known.tenant_id', '=', ctx.tenantId)
    .where(filterSql(input));
  if (after !== null) query = query.where('known.login_id', '>', after);
  const rows = await query
    .orderBy('known.login_id')
    .limit(limit + 1)
    .execute();
  return toPage(rows, limit, (row) => row.login_id, toUser);
}

/** The names in use, each found by one step into the index, however many users it has. */
export async function listGroups(ctx: TenantContext, input: PageQuery & { Search?: string }) {
  const limit = pageLimit(input);
  const from = input.Search ?? '';
  const after = readCursor(input);
  const next = (place: ReturnType<typeof sql>) => sql`
    select known.group_name from "user" known
    where known.tenant_id = ${ctx.tenantId} and ${place} and known.group_name < ${beyond(from)}
    order by known.group_name limit 1`;
  const first =
    after === null
      ? sql`known.group_name >= ${from}`
      : sql`known.group_name > ${after} and known.group_name >= ${from}`;
  const { rows } = await sql<{ group_name: string }>`
    with recursive named as (
      (${next(first)})
      union all
      select (${next(sql`known.group_name > named.group_name`)}) from named where named.group_name is not null
    )
    select named.group_name from named where named.group_name is not null limit ${limit + 1}`.execute(ctx.db);
  return toPage(
    rows,
    limit,
    (row) => row.group_name,
    (row) => ({ GroupName: row.group_name }),
  );
}
