import type { Condition } from '../../platform/db/page.ts';
import type { PageQuery } from '../../platform/http/pagination.ts';
import { matches } from '../../platform/search.ts';
import { foldCase } from '../../platform/unicode.ts';

export const userOrders = ['oldest', 'newest', 'name', 'name_descending'] as const;

export type UserFilter = PageQuery & {
  Order?: (typeof userOrders)[number];
  GroupName?: string;
  Email?: string;
  Enabled?: boolean;
  Search?: string;
};

export function conditionsOf({ Email, GroupName, Enabled, Search }: UserFilter): Condition[] {
  const conditions: Condition[] = [];
  if (Email !== undefined) conditions.push(({ add }) => `held.folded_email = ${add(foldCase(Email))}`);
  if (GroupName !== undefined) conditions.push(({ add }) => `held.group_name = ${add(GroupName)}`);
  // A literal, because the index of disabled users is partial.
  if (Enabled !== undefined) conditions.push(() => (Enabled ? 'held.enabled' : 'not held.enabled'));
  if (Search !== undefined) conditions.push(matches('held.folded', Search));
  return conditions;
}

/** Returns a string that sorts after every string with this prefix. */
export function prefixEnd(text: string): string {
  return text + '\u{10FFFF}'.repeat(8);
}
