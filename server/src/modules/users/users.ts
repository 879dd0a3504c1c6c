import type { TenantContext } from '../../platform/context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { differences } from '../../platform/differences.ts';
import { Problem } from '../../platform/errors.ts';
import { toNfc } from '../../platform/unicode.ts';
import { appendAudit } from '../audit/append.ts';
import { appendEvents } from '../events/append.ts';
import { knownTenant } from '../tenants/tenants.ts';
import { limitAfter, rejectAdminChange } from './administrators.ts';
import { endInvitation } from './invitations/end.ts';
import { readPassword, storePassword, unmatchablePasswordHash } from './passwords.ts';
import { toUser, type UserRow } from './record.ts';
import { endResets } from './resets/end.ts';
import type { User, UserChange } from './schemas.ts';

export function userNotFound(): Problem {
  return new Problem('user_not_found', 'The user does not exist. Create the user with POST /user.', {
    param: 'LoginID',
  });
}

export async function findUserId(ctx: TenantContext, loginId: string): Promise<string | null> {
  const row = await ctx.db
    .selectFrom('user')
    .select('user_id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('login_id', '=', loginId)
    .executeTakeFirst();
  return row?.user_id ?? null;
}

export async function readUser(ctx: TenantContext, input: { loginId: string }): Promise<User> {
  const row = await ctx.db
    .selectFrom('user')
    .selectAll()
    .where('tenant_id', '=', ctx.tenantId)
    .where('login_id', '=', input.loginId)
    .executeTakeFirst();
  if (!row) throw userNotFound();
  return toUser(row);
}

async function passwordColumn(ctx: TenantContext, password: string | null | undefined) {
  if (password === undefined) return {};
  if (password === null) return { password_hash: unmatchablePasswordHash() };
  const declared = (await knownTenant.get(ctx, ctx.tenantId))?.PasswordHash ?? 'opaque';
  return { password_hash: await storePassword(ctx, readPassword(password, declared)) };
}

/** Hashing is slow, so callers who may not change a password are rejected first. */
const nobody = { is_admin: false, admin_scopes: null, email: null };

/** Changes the given fields; the others keep their values, and null clears a field. */
export async function updateUser(ctx: TenantContext, input: UserChange & { loginId: string }): Promise<User> {
  const { loginId, LoginID, Password, ...fields } = input;
  if (LoginID !== undefined && toNfc(LoginID) !== loginId)
    throw new Problem(
      'login_id_immutable',
      'LoginID cannot be changed. Leave it out, or create another user.',
      {
        param: 'LoginID',
      },
    );
  if (Password !== undefined) rejectAdminChange(ctx, nobody, { Password });
  const password = await passwordColumn(ctx, Password);
  return transaction(ctx, async (ctx) => {
    const before = await ctx.db
      .selectFrom('user')
      .selectAll()
      .where('tenant_id', '=', ctx.tenantId)
      .where('login_id', '=', loginId)
      .forUpdate()
      .executeTakeFirst();
    if (!before) throw userNotFound();
    rejectAdminChange(ctx, before, input);
    const row = await ctx.db
      .updateTable('user')
      .set({
        ...(fields.FirstName !== undefined && { first_name: fields.FirstName }),
        ...(fields.LastName !== undefined && { last_name: fields.LastName }),
        ...(fields.GroupName !== undefined && { group_name: fields.GroupName }),
        ...(fields.Email !== undefined && { email: fields.Email }),
        ...(fields.IsAdmin !== undefined && { is_admin: fields.IsAdmin ?? false }),
        ...(fields.Register !== undefined && { register: fields.Register ?? false }),
        ...(fields.Enabled !== undefined && { enabled: fields.Enabled ?? true }),
        ...password,
        ...('password_hash' in password && {
          password_chosen: false,
          password_changed_at: ctx.now(),
          password_changed_in: ctx.actor.userId === before.user_id ? ctx.actor.id : null,
        }),
        admin_scopes: limitAfter(ctx, before, input),
        updated_at: ctx.now(),
      })
      .where('tenant_id', '=', ctx.tenantId)
      .where('login_id', '=', loginId)
      .returningAll()
      .executeTakeFirstOrThrow();
    const user = toUser(row);
    const changed = differences(user, toUser(before)).filter((name) => name !== 'UpdatedAt');
    if ('password_hash' in password) changed.push('Password');
    if ('password_hash' in password || !row.enabled || row.email !== before.email) {
      await endInvitation(ctx, row.user_id);
      await endResets(ctx, row.user_id);
    }
    const data = { LoginID: loginId, Changed: changed };
    await appendEvents(ctx, [
      ...(changed.length > 0 ? [{ type: 'user.updated' as const, userId: row.user_id, data }] : []),
      ...(before.enabled && !row.enabled
        ? [{ type: 'user.disabled' as const, userId: row.user_id, data }]
        : []),
    ]);
    await auditAccess(ctx, row, changed);
    return user;
  });
}

/** The audited fields, which determine a person's access. Events report the rest. */
async function auditAccess(ctx: TenantContext, row: UserRow, changed: readonly string[]): Promise<void> {
  const data = {
    ...(changed.includes('IsAdmin') && { IsAdmin: row.is_admin }),
    ...(changed.includes('Enabled') && { Enabled: row.enabled }),
    ...(changed.includes('Password') && { Password: true }),
    ...(changed.includes('Email') && { Email: true }),
  };
  if (Object.keys(data).length === 0) return;
  await appendAudit(ctx, ctx.tenantId, { action: 'user.access_changed', targetId: row.user_id, data });
}
