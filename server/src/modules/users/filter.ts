import type { Parameters } from '../../platform/db/parameters.ts';
import type { AccessPath } from '../../platform/db/visits.ts';
import type { PageQuery } from '../../platform/http/pagination.ts';

export type UserFilter = PageQuery & {
  GroupName?: string;
  Email?: string;
  Enabled?: boolean;
  Search?: string;
};

/** SQL for each filter on the user, with literals so that partial indexes match. */
function conditionsOf(
  { GroupName, Email, Enabled }: UserFilter,
  user = 'held',
): ((parameters: Parameters) => string)[] {
  const conditions: ((parameters: Parameters) => string)[] = [];
  if (Email !== undefined)
    conditions.push(
      ({ add }) =>
        `${user}.email is not null and lower(${user}.email) collate "C" = lower(${add(Email)}) collate "C"`,
    );
  if (GroupName !== undefined) conditions.push(({ add }) => `${user}.group_name = ${add(GroupName)}`);
  if (Enabled !== undefined) conditions.push(() => (Enabled ? `${user}.enabled` : `not ${user}.enabled`));
  return conditions;
}

export function filterSql(filter: UserFilter, parameters: Parameters, user = 'held'): string {
  return ['true', ...conditionsOf(filter, user).map((condition) => condition(parameters))].join(' and ');
}

/** An access path for each filter that has an index, in LoginID order. */
export function accessPathsOf(filter: UserFilter): ((parameters: Parameters) => AccessPath)[] {
  const { Enabled, ...others } = filter;
  const conditions = conditionsOf(Enabled ? others : filter);
  return conditions.map((condition) => (parameters) => ({ ranges: [condition(parameters)] }));
}

/** Sorts after every string that starts with the text. */
export function beyond(text: string): string {
  return text + '\u{10FFFF}'.repeat(8);
}
