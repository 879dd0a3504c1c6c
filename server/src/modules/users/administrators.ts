import type { TenantContext } from '../../platform/context.ts';
import { grantedScopes, requireScope, type Scope, tenantScopes } from '../../platform/scopes.ts';
import type { UserRow } from './record.ts';
import type { UserChange } from './schemas.ts';

/**
 * The scopes to which a user is limited after signing in with a password that this caller set; null if only their role
 * limits them.
 */
export function sessionLimit(ctx: TenantContext): Scope[] | null {
  const granted = grantedScopes(ctx, tenantScopes);
  return granted.length < tenantScopes.length ? granted : null;
}

type Known = Pick<UserRow, 'is_admin' | 'admin_scopes'>;

/** Rejects changes to an administrator, to the administrator role or to a password without `users:admin`. */
export function rejectAdminChange(ctx: TenantContext, before: Known, change: UserChange): void {
  if (before.is_admin) requireScope(ctx, 'users:admin', 'Changing an administrator');
  if (change.IsAdmin) requireScope(ctx, 'users:admin', 'Making a user an administrator');
  if (change.Password !== undefined) requireScope(ctx, 'users:admin', "Changing a user's Password");
}

/**
 * The limit after a change. Rights and passwords that were set with a narrow key give no more access than that key has.
 * A key with all of a tenant's scopes lifts an administrator's limit by sending `IsAdmin: true`, and a learner's by
 * setting a new password.
 */
export function limitAfter(ctx: TenantContext, before: Known, change: UserChange): string[] | null {
  const limit = sessionLimit(ctx);
  if (change.IsAdmin && (limit === null || !before.is_admin)) return limit;
  return change.Password === undefined ? before.admin_scopes : limitWithPassword(before, limit);
}

/** The limit after a password was set whose access must not exceed `limit`. */
export function limitWithPassword(before: Known, limit: readonly string[] | null): string[] | null {
  if (limit === null) return before.is_admin ? before.admin_scopes : null;
  return before.admin_scopes?.filter((scope) => limit.includes(scope)) ?? [...limit];
}
