import type { TenantContext } from '../../platform/context.ts';
import { scanRows } from '../../platform/db/list-scan.ts';
import { run } from '../../platform/db/transaction.ts';
import { type PageQuery, pageLimit, readCursor, toPage } from '../../platform/http/pagination.ts';
import { accessPathsOf, filterSql, prefixEnd, type UserFilter } from './filter.ts';
import { toUser, type UserRow } from './record.ts';
import { searchUsers } from './search.ts';

export async function listUsers(ctx: TenantContext, input: UserFilter) {
  if (input.Search !== undefined) return searchUsers(ctx, { ...input, Search: input.Search });
  const limit = pageLimit(input);
  const cursor = readCursor(input);
  const paths = accessPathsOf(input);
  const { rows, end } = await scanRows<UserRow>(ctx, {
    rows: '"user" held where held.tenant_id = $1',
    values: [ctx.tenantId],
    key: ['login_id'],
    after: cursor === null ? null : [cursor],
    accessPaths: paths.length > 0 ? paths : [() => ({ ranges: ['true'] })],
    filter: (parameters) => filterSql(input, parameters),
    wanted: limit,
  });
  return toPage(rows, limit, (row) => row.login_id, toUser, end);
}

/** SQL for the next group name after a position. $2 is the prefix; $3 sorts after everything with that prefix. */
const next = (place: string) => `
  select known.group_name from "user" known
  where known.tenant_id = $1 and ${place} and known.group_name < $3
  order by known.group_name limit 1`;

const groupsFrom = (place: string) => `
with recursive named as (
  (${next(place)})
  union all
  select (${next('known.group_name > named.group_name')}) from named where named.group_name is not null
)
select named.group_name from named where named.group_name is not null limit $4`;

/**
 * The distinct group names. Each name takes a single index look-up, regardless of the number of
 * users.
 */
export async function listGroups(ctx: TenantContext, input: PageQuery & { Search?: string }) {
  const limit = pageLimit(input);
  const from = input.Search ?? '';
  const after = readCursor(input);
  const values = [ctx.tenantId, from, prefixEnd(from), limit + 1];
  const rows = await run<{ group_name: string }>(
    ctx,
    after === null
      ? { name: 'list_groups', text: groupsFrom('known.group_name >= $2'), values }
      : {
          name: 'list_groups_after',
          text: groupsFrom('known.group_name > $5 and known.group_name >= $2'),
          values: [...values, after],
        },
  );
  return toPage(
    rows,
    limit,
    (row) => row.group_name,
    (row) => ({ GroupName: row.group_name }),
  );
}
