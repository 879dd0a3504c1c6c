import type { Selectable } from 'kysely';
import type { UserTable } from '../../db/engine/generated.ts';
import { ownRows } from '../../db/own-rows.ts';
import { type Condition, countRows, type List, readRows } from '../../db/page.ts';
import { matches, searchedText } from '../../db/search.ts';
import { type Parameters, run } from '../../db/transaction.ts';
import {
  foreignCursor,
  type PageQuery,
  pageLimit,
  readCursor,
  toPage,
  withCount,
} from '../../http/pagination.ts';
import { recordOf } from '../../http/records.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { isId } from '../../lib/ids.ts';
import { cleanText, fold, foldCase, toNfc } from '../../lib/unicode.ts';
import { attributesOf, groupsOf, hasAttribute, isNamed, usersOfGroup } from './groups.ts';
import { User } from './schemas.ts';

export type UserRow = Selectable<UserTable>;

type Named = Pick<UserRow, 'login_id' | 'first_name' | 'last_name' | 'email'>;

/** The columns that clients set, except for passwords and scopes. */
export type UserColumns = Pick<
  UserRow,
  | 'first_name'
  | 'last_name'
  | 'group_name'
  | 'other_groups'
  | 'email'
  | 'manager_login_id'
  | 'attributes'
  | 'is_admin'
  | 'register'
  | 'enabled'
  | 'time_factor'
>;

export type FoldedUser = Pick<UserRow, 'folded_email' | 'sort_name' | 'folded'>;

/** Index entries have a maximum size. */
const sortedLength = 200;

/** What lists compare, sort by and search. It follows from the other columns. */
export function foldedUser({ login_id, first_name, last_name, email }: Named): FoldedUser {
  const name = [last_name, first_name].filter((part) => part !== null).join(' ');
  return {
    folded_email: email === null ? null : foldCase(email),
    sort_name: fold(name === '' ? login_id : name)
      .slice(0, sortedLength)
      .toWellFormed(),
    folded: searchedText(last_name, first_name, login_id, email),
  };
}

/** No time limits are stored as 0, because null is an enrolment without a factor of its own. */
export const timeFactorOf = (stored: number) => (stored === 0 ? null : stored);
export const storedTimeFactor = (factor: number | null) => factor ?? 0;

export function toUser(row: UserRow): User {
  return recordOf(User, row, {
    Groups: groupsOf(row),
    Attributes: attributesOf(row),
    TimeFactor: timeFactorOf(row.time_factor),
  });
}

export const userOrders = ['oldest', 'newest', 'name', 'name_descending'] as const;

type UserFilter = PageQuery & {
  Order?: (typeof userOrders)[number];
  LoginID?: string;
  GroupName?: string;
  ManagerLoginID?: string;
  Attribute?: string;
  Email?: string;
  Enabled?: boolean;
  Search?: string;
};

function conditionsOf(input: UserFilter): Condition[] {
  const { LoginID, Email, ManagerLoginID, Attribute, Enabled, Search } = input;
  const conditions: Condition[] = [];
  // A LoginID can contain a comma itself.
  if (LoginID !== undefined)
    conditions.push(
      ({ add }) => `held.login_id = any(${add([...new Set([LoginID, ...LoginID.split(',')])])}::text[])`,
    );
  if (Email !== undefined) conditions.push(({ add }) => `held.folded_email = ${add(foldCase(Email))}`);
  if (ManagerLoginID !== undefined) conditions.push(isNamed('held.manager_login_id', ManagerLoginID));
  if (Attribute !== undefined) conditions.push(hasAttribute('held', Attribute));
  // A literal, because the index of disabled users is partial.
  if (Enabled !== undefined) conditions.push(() => (Enabled ? 'held.enabled' : 'not held.enabled'));
  if (Search !== undefined) conditions.push(matches('held.folded', Search));
  return conditions;
}

/** Returns a string that sorts after every string with this prefix. */
function prefixEnd(text: string): string {
  return text + '\u{10FFFF}'.repeat(8);
}

export function userNotFound(): Problem {
  return new Problem('user_not_found', 'The user does not exist. Create the user with POST /user.', {
    param: 'LoginID',
  });
}

export async function findUserId(ctx: TenantContext, loginId: string): Promise<string | null> {
  const row = await ownRows(ctx, 'user', { login_id: loginId }).select('user_id').executeTakeFirst();
  return row?.user_id ?? null;
}

export async function readUser(ctx: TenantContext, input: { loginId: string }): Promise<User> {
  const row = await ownRows(ctx, 'user', { login_id: input.loginId }).selectAll().executeTakeFirst();
  if (!row) throw userNotFound();
  return toUser(row);
}

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
    ...usersOfGroup(ctx.tenantId, input.GroupName),
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
const next = (place: string) =>
  `least(${['"user"', 'user_group']
    .map(
      (table) => `(
  select known.group_name from ${table} known
  where known.tenant_id = $1 and ${place} and known.group_name < $3
  order by known.group_name limit 1)`,
    )
    .join(', ')})`;

const groupsFrom = (place: string) => `
with recursive named as (
  select ${next(place)} as group_name
  union all
  select ${next('known.group_name > named.group_name')} from named where named.group_name is not null
)
select named.group_name from named where named.group_name is not null limit $4`;

/** The distinct group names. Each name takes two index look-ups, regardless of the number of users. */
export async function listGroups(ctx: TenantContext, input: PageQuery & { Search?: string }) {
  const limit = pageLimit(input);
  const from = toNfc(input.Search ?? '');
  const after = readCursor(input);
  const values = [ctx.tenantId, from, prefixEnd(from), limit + 1];
  const rows = await (after === null
    ? run<{ group_name: string }>(ctx, groupsFrom('known.group_name >= $2'), values)
    : run<{ group_name: string }>(ctx, groupsFrom('known.group_name > $5 and known.group_name >= $2'), [
        ...values,
        after,
      ]));
  return toPage(
    rows,
    limit,
    (row) => row.group_name,
    (row) => ({ GroupName: row.group_name }),
  );
}
