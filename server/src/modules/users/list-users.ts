import type { TenantContext } from '../../platform/context.ts';
import { countRows, type List, readRows } from '../../platform/db/page.ts';
import type { Parameters } from '../../platform/db/parameters.ts';
import { run } from '../../platform/db/transaction.ts';
import {
  foreignCursor,
  type PageQuery,
  pageLimit,
  readCursor,
  toPage,
  withCount,
} from '../../platform/http/pagination.ts';
import { isId } from '../../platform/ids.ts';
import { cleanText, toNfc } from '../../platform/unicode.ts';
import { conditionsOf, prefixEnd, type UserFilter } from './filter.ts';
import { toUser, type UserRow } from './record.ts';

/**
 * The users that match the filters, ordered by LoginID or, with `Order`, by name or by creation time, which is the order
 * of their IDs.
 */
function userList(ctx: TenantContext, input: UserFilter): List {
  const { Order } = input;
  const isByName = Order === 'name' || Order === 'name_descending';
  const isByCreation = Order !== undefined && !isByName;
  const cursor = readCursor(input);
  if (isByCreation && cursor !== null && !isId(cursor)) throw foreignCursor();
  return {
    rows: '"user" held where held.tenant_id = $1',
    values: [ctx.tenantId],
    where: conditionsOf(input),
    key: isByName ? ['sort_name', 'login_id'] : [isByCreation ? 'user_id' : 'login_id'],
    after: cursor === null ? null : isByName ? readNames(cursor) : [cursor],
    newest: Order === 'newest' || Order === 'name_descending',
  };
}

function readNames(cursor: string): string[] {
  try {
    const names: unknown = JSON.parse(cursor);
    if (Array.isArray(names) && names.length === 2 && names.every((name) => typeof name === 'string'))
      return names;
  } catch {}
  throw foreignCursor();
}

/** In a search without an order, a user with exactly this LoginID comes first, before the cursor `''`. */
export async function listUsers(ctx: TenantContext, input: UserFilter & { Count?: boolean }) {
  const { Search, Order, Cursor } = input;
  const limit = pageLimit(input);
  const list = userList(ctx, input);
  const exact = Search === undefined || Order !== undefined ? null : cleanText(Search);
  const where = (sign: string) => [
    ...list.where,
    ...(exact === null ? [] : [({ add }: Parameters) => `held.login_id ${sign} ${add(exact)}`]),
  ];
  const first =
    exact === null || Cursor !== undefined
      ? []
      : await readRows<UserRow>(ctx, { ...list, where: where('=') }, 1);
  const others = await readRows<UserRow>(ctx, { ...list, where: where('<>') }, limit + 1);
  const key = (row: UserRow) => {
    if (row === first[0]) return '';
    if (list.key.length === 2) return JSON.stringify([row.sort_name, row.login_id]);
    return Order === undefined ? row.login_id : row.user_id;
  };
  const page = toPage([...first, ...others], limit, key, toUser);
  return withCount(input, page, () => countRows(ctx, list));
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
  const from = toNfc(input.Search ?? '');
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
