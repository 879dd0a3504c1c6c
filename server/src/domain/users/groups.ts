import type { Condition, List } from '../../db/page.ts';
import { invalid } from '../../lib/errors.ts';
import { maxAttributes, type UserChange } from './schemas.ts';

type Grouped = { group_name: string | null; other_groups: string[] };

export const ungrouped: Grouped = { group_name: null, other_groups: [] };

/** All groups of a user, beginning with GroupName. */
export const groupsOf = ({ group_name, other_groups }: Grouped): string[] =>
  group_name === null ? [] : [group_name, ...other_groups];

/** SQL condition: the user in `user`, an alias of the table, is in one of the groups, a text array. */
export const isInGroups = (user: string, groups: string) =>
  `(${user}.group_name = any(${groups}) or ${user}.other_groups && ${groups})`;

/** SQL: the groups of the user in `user`, an array that is empty without a group. */
export const groupsSql = (user: string) => `array_remove(${user}.group_name || ${user}.other_groups, null)`;

/**
 * The groups after a change. GroupName is what a client without Groups reads and writes: it replaces the first group,
 * and null leaves none. Sent with Groups, it becomes the first of them.
 */
export function groupsAfter({ GroupName, Groups }: UserChange, before: Grouped): Grouped {
  const known = groupsOf(before);
  const others = Groups === undefined ? known.slice(1) : (Groups ?? []);
  if (GroupName === undefined && Groups === undefined) return before;
  if (GroupName === null && Groups === undefined) return ungrouped;
  const [group_name = null, ...other_groups] = new Set([
    ...(GroupName == null ? [] : [GroupName]),
    ...others,
  ]);
  return { group_name, other_groups };
}

/** The stored column has texts only, because the schema of requests accepts nothing else. */
export const attributesOf = ({ attributes }: { attributes: unknown }) => attributes as Record<string, string>;

/** Names that were not sent keep their values. A null or blank value removes the name. */
export function attributesAfter({ Attributes }: UserChange, before: Record<string, string>) {
  if (Attributes === undefined) return before;
  if (Attributes === null) return {};
  const all = Object.entries({ ...before, ...Attributes }).filter(
    (entry): entry is [string, string] => !!entry[1],
  );
  if (all.length > maxAttributes)
    throw invalid(
      'Attributes',
      `The user would have ${all.length} attributes, but the maximum is ${maxAttributes}. Remove some of them with the value null.`,
    );
  return Object.fromEntries(all);
}

export function rejectOwnManager(loginId: string, { ManagerLoginID }: UserChange): void {
  if (ManagerLoginID !== loginId) return;
  throw invalid(
    'ManagerLoginID',
    'Users cannot be their own managers. Send another ManagerLoginID, or null.',
  );
}

/** SQL condition of a filter by name. An empty text finds rows without one. */
export const isNamed = (column: string, name: string): Condition =>
  name === '' ? () => `${column} is null` : ({ add }) => `${column} = ${add(name)}`;

/** SQL condition for a filter such as `site:Leeds`. Without a value, it finds users who do not have the attribute. */
export function hasAttribute(user: string, filter: string): Condition {
  const [, name, value] = /^([^:]+):(.*)$/su.exec(filter) ?? [];
  if (name === undefined)
    throw invalid(
      'Attribute',
      'Attribute must be a name and a value, separated by a colon, such as site:Leeds.',
    );
  if (value === '') return ({ add }) => `not coalesce(${user}.attributes ? ${add(name)}, false)`;
  return ({ add }) => `${user}.attributes @> ${add(JSON.stringify({ [name]: value }))}::jsonb`;
}

/** Which users are meant, in lists of what they have done. */
export type PeopleFilter = {
  LoginID?: string;
  GroupName?: string;
  ManagerLoginID?: string;
  Attribute?: string;
};

/** SQL conditions on the user in `user`, as the user is now. */
export function isAmong(user: string, filter: PeopleFilter): Condition[] {
  const { LoginID, GroupName, ManagerLoginID, Attribute } = filter;
  const where: Condition[] = [];
  if (LoginID !== undefined) where.push(({ add }) => `${user}.login_id = ${add(LoginID)}`);
  if (GroupName === '') where.push(() => `${user}.group_name is null`);
  else if (GroupName !== undefined) where.push(({ add }) => isInGroups(user, `array[${add(GroupName)}]`));
  if (ManagerLoginID !== undefined) where.push(isNamed(`${user}.manager_login_id`, ManagerLoginID));
  if (Attribute !== undefined) where.push(hasAttribute(user, Attribute));
  return where;
}

/** SQL conditions on rows `held` of such users. */
export const isOfPeople = (filter: PeopleFilter): Condition[] =>
  isAmong('owner', filter).map(
    (condition) => (parameters) =>
      `held.user_id in (select owner.user_id from "user" owner where owner.tenant_id = $1 and ${condition(parameters)})`,
  );

/** The rows of a list of users: all, or those in a group; an empty name: in none. */
export function usersOfGroup(
  tenantId: string,
  group: string | undefined,
): Pick<List, 'rows' | 'more' | 'values'> {
  const rows = '"user" held where held.tenant_id = $1';
  if (group === undefined) return { rows, values: [tenantId] };
  if (group === '') return { rows: `${rows} and held.group_name is null`, values: [tenantId] };
  return {
    rows: `${rows} and held.group_name = $2`,
    more: `user_group member join "user" held on held.tenant_id = $1 and held.login_id = member.login_id
      where member.tenant_id = $1 and member.group_name = $2`,
    values: [tenantId, group],
  };
}
