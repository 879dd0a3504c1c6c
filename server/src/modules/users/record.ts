import type { Selectable } from 'kysely';
import type { UserTable } from '../../platform/db/generated.ts';
import { searchedText } from '../../platform/search.ts';
import { fold, foldCase } from '../../platform/unicode.ts';
import type { User } from './schemas.ts';

export type UserRow = Selectable<UserTable>;

type Named = Pick<UserRow, 'login_id' | 'first_name' | 'last_name' | 'email'>;

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

export function toUser(row: UserRow): User {
  return {
    LoginID: row.login_id,
    FirstName: row.first_name,
    LastName: row.last_name,
    GroupName: row.group_name,
    Email: row.email,
    IsAdmin: row.is_admin,
    Register: row.register,
    Enabled: row.enabled,
    EmailBouncedAt: row.email_bounced_at?.toISOString() ?? null,
    EmailBounceReason: row.email_bounce_reason,
    CreatedAt: row.created_at.toISOString(),
    UpdatedAt: row.updated_at.toISOString(),
  };
}
