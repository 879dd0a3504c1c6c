import type { AccessPath } from '../../platform/db/list-scan.ts';
import type { Parameters } from '../../platform/db/parameters.ts';
import type { PageQuery } from '../../platform/http/pagination.ts';
import { foldCase } from '../../platform/unicode.ts';

export const userOrders = ['oldest', 'newest', 'name', 'name_descending'] as const;

export type UserFilter = PageQuery & {
  Order?: (typeof userOrders)[number];
  GroupName?: string;
  Email?: string;
  Enabled?: boolean;
  Search?: string;
};

/** The conditions are literals, so that they match the partial index. */
const isEnabled = (enabled: boolean, user = 'held') => (enabled ? `${user}.enabled` : `not ${user}.enabled`);

/** SQL for each filter on the user. */
function conditionsOf(
  { GroupName, Email, Enabled }: UserFilter,
  user = 'held',
): ((parameters: Parameters) => string)[] {
  const conditions: ((parameters: Parameters) => string)[] = [];
  if (Email !== undefined)
    conditions.push(
      ({ add }) => `${user}.folded_email is not null and ${user}.folded_email = ${add(foldCase(Email))}`,
    );
  if (GroupName !== undefined) conditions.push(({ add }) => `${user}.group_name = ${add(GroupName)}`);
  if (Enabled !== undefined) conditions.push(() => isEnabled(Enabled, user));
  return conditions;
}

export function filterSql(filter: UserFilter, parameters: Parameters, user = 'held'): string {
  return ['true', ...conditionsOf(filter, user).map((condition) => condition(parameters))].join(' and ');
}

/** An access path for each filter that has an index, in LoginID order. */
export function accessPathsOf({ Email, GroupName, Enabled }: UserFilter) {
  const paths: ((parameters: Parameters) => AccessPath)[] = [];
  if (Email !== undefined)
    paths.push(({ add }) => ({
      ranges: ['held.folded_email is not null'],
      fixed: { column: 'held.folded_email', value: add(foldCase(Email)) },
    }));
  if (GroupName !== undefined)
    paths.push(({ add }) => ({
      ranges: ['true'],
      fixed: { column: 'held.group_name', value: add(GroupName) },
    }));
  if (Enabled === false) paths.push(() => ({ ranges: [isEnabled(false)] }));
  return paths;
}

/** Returns a string that sorts after every string with this prefix. */
export function prefixEnd(text: string): string {
  return text + '\u{10FFFF}'.repeat(8);
}
