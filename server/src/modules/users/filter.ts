import type { Parameters } from '../../platform/db/parameters.ts';
import type { PageQuery } from '../../platform/http/pagination.ts';

export type UserFilter = PageQuery & {
  GroupName?: string;
  Email?: string;
  Enabled?: boolean;
  Search?: string;
};

/** SQL: the conditions of a filter on `known`, spelled out so that partial indexes match. */
export function filterSql({ GroupName, Email, Enabled }: UserFilter, { add }: Parameters): string {
  const conditions = ['true'];
  if (GroupName !== undefined) conditions.push(`known.group_name = ${add(GroupName)}`);
  if (Email !== undefined)
    conditions.push(`lower(known.email) collate "C" = lower(${add(Email)}) collate "C"`);
  if (Enabled !== undefined) conditions.push(Enabled ? 'known.enabled' : 'not known.enabled');
  return conditions.join(' and ');
}

/** Sorts after every string that starts with the text. */
export function beyond(text: string): string {
  return text + '\u{10FFFF}'.repeat(8);
}
