import type { TenantContext } from '../../infra/context/context.ts';
import {
  grantedScopes,
  learnerScopes,
  requireScope,
  type Scope,
  tenantScopes,
} from '../../infra/context/scopes.ts';
import type { UserChange } from './schemas.ts';
import type { UserRow } from './users.ts';

/**
 * The scopes to which a user is limited after signing in with a password that this caller set; null if only their role
 * limits them.
 */
export function sessionLimit(ctx: TenantContext): Scope[] | null {
  const granted = grantedScopes(ctx, tenantScopes);
  return granted.length < tenantScopes.length ? granted : null;
}

type Known = Pick<UserRow, 'is_admin' | 'admin_scopes'>;
type KnownWithEmail = Known & Pick<UserRow, 'email'>;

/**
 * Rejects a change to an administrator, the administrator role, a password or an email address if the caller
 * lacks the required scopes.
 */
export function rejectAdminChange(ctx: TenantContext, before: KnownWithEmail, change: UserChange): void {
  if (before.is_admin) requireScope(ctx, 'users:admin', 'Changing an administrator');
  if (change.IsAdmin) requireScope(ctx, 'users:admin', 'Making a user an administrator');
  if (change.Password !== undefined) requireScope(ctx, 'users:admin', "Changing a user's Password");
  if (change.Email !== undefined && change.Email !== before.email) rejectNewAddress(ctx, before);
}

/**
 * With a mail server, anyone who receives a user's emails can set the password and sign in, so the caller needs all of
 * the user's scopes.
 */
function rejectNewAddress(ctx: TenantContext, user: Known): void {
  if (ctx.config.mail === null) return;
  requireScope(ctx, 'users:admin', changingAddress);
  requireScopesOf(ctx, user, changingAddress);
}

const changingAddress = 'Changing an email address to which password links are sent';

/** Requires each scope that the user has, because the change makes it easier to act as this user. */
export function requireScopesOf(ctx: TenantContext, { is_admin, admin_scopes }: Known, what: string): void {
  const role = is_admin ? tenantScopes : learnerScopes;
  for (const scope of role) if (admin_scopes?.includes(scope) ?? true) requireScope(ctx, scope, what);
}

/**
 * The limit after a change. Rights and passwords set with a restricted key give no more access than the key
 * itself. A key with all of a tenant's scopes removes an administrator's limit by sending `IsAdmin: true`,
 * and a learner's limit by setting a new password.
 */
export function limitAfter(ctx: TenantContext, before: Known, change: UserChange): string[] | null {
  const limit = sessionLimit(ctx);
  if (change.IsAdmin && (limit === null || !before.is_admin)) return limit;
  return change.Password === undefined ? before.admin_scopes : limitWithPassword(before, limit);
}

/** The limit after setting a password whose access must not exceed `limit`. */
export function limitWithPassword(before: Known, limit: readonly string[] | null): string[] | null {
  if (limit === null) return before.is_admin ? before.admin_scopes : null;
  return before.admin_scopes?.filter((scope) => limit.includes(scope)) ?? [...limit];
}
