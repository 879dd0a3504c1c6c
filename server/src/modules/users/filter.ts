import { sql } from 'kysely';
import type { PageQuery } from '../../platform/pagination.ts';

export type UserFilter = PageQuery & {
  GroupName?: string;
  Email?: string;
  Enabled?: boolean;
  Search?: string;
};

/** SQL: what of a filter holds for `known`, written out so that partial indexes serve it. */
export function filterSql({ GroupName, Email, Enabled }: UserFilter) {
  const conditions = [sql`true`];
  if (GroupName !== undefined) conditions.push(sql`known.group_name = ${GroupName}`);
  if (Email !== undefined) conditions.push(sql`lower(known.email) collate "C" = lower(${Email}) collate "C"`);
  if (Enabled !== undefined) conditions.push(Enabled ? sql`known.enabled` : sql`not known.enabled`);
  return sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

/** Sorts behind all that begins with the text. */
export function beyond(text: string): string {
  return text + '\u{10FFFF}'.repeat(8);
}
