import type { Selectable } from 'kysely';
import type { UserTable } from '../../platform/db/generated.ts';
import type { User } from './schemas.ts';

export type UserRow = Selectable<UserTable>;

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
