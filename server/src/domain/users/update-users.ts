import { isDeepStrictEqual } from 'node:util';
import { joinTransaction, run } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { differences } from '../../lib/tables.ts';
import type { NewAudit } from '../audit/actions.ts';
import { appendAudit } from '../audit/chain.ts';
import { appendEvents, type NewEvent } from '../events/append.ts';
import { knownTenant } from '../tenants/tenants.ts';
import { limitAfter, rejectAdminChange } from './administrators.ts';
import { endInvitations, endResets } from './end-links.ts';
import { attributesAfter, attributesOf, groupsAfter, groupsOf, rejectOwnManager } from './groups.ts';
import { readPassword, storePassword, unmatchablePasswordHash } from './passwords.ts';
import type { User, UserChange } from './schemas.ts';
import {
  type FoldedUser,
  foldedUser,
  storedTimeFactor,
  toUser,
  type UserColumns,
  type UserRow,
  userNotFound,
} from './users.ts';

/**
 * A change of a user's group also changes all of that user's enrolments. Other requests wait for the
 * transaction, so one transaction changes the group of only one user, or of several users with at most this
 * many enrolments in total.
 */
const maxEnrolments = 5_000;

const countEnrolments = `
select user_id, count(*)::integer as enrolments from (
  select user_id from enrolment where tenant_id = $1 and user_id = any($2::uuid[]) order by user_id limit $3
) counted group by user_id order by user_id`;

type Counted = { user_id: string; enrolments: number };

/**
 * The LoginIDs of the users whose change of group does not fit into the transaction. The users must be locked. Never
 * returns all of them.
 */
async function changesBeyondLimit(
  ctx: TenantContext,
  users: readonly { user_id: string; login_id: string }[],
): Promise<Set<string>> {
  if (users.length < 2) return new Set();
  const values = [ctx.tenantId, users.map(({ user_id }) => user_id), maxEnrolments + 1];
  const counted = await run<Counted>(ctx, countEnrolments, values);
  const last = counted.at(-1);
  const total = counted.reduce((sum, { enrolments }) => sum + enrolments, 0);
  if (!last || total <= maxEnrolments) return new Set();
  // The count stopped at this user, so it includes no later users and perhaps not all of this user's
  // enrolments.
  const isAlone = counted.length === 1;
  const beyond = users.filter(
    ({ user_id }) => user_id > last.user_id || (user_id === last.user_id && !isAlone),
  );
  return new Set(beyond.map(({ login_id }) => login_id));
}

export type UserUpdate = {
  loginId: string;
  /** Fields that are missing keep their values, and null clears a field. */
  change: UserChange;
  /** The value to store for the `Password` in the change; null if the change contains none. */
  passwordHash: string | null;
  /** The caller, whose scopes determine what may be changed. Updates of several callers share a transaction. */
  by: TenantContext;
};

/** `changed` has the names of the fields whose values are different. */
type UpdatedUser = { row: UserRow; changed: string[] };

/** Locks users in order, so that calls that update the same users wait for each other instead of deadlocking. */
const lockUsers = `
select account.* from "user" account where account.tenant_id = $1 and account.login_id = any($2::text[])
order by account.login_id for update`;

type NewValues = UserColumns & FoldedUser & { admin_scopes: readonly string[] | null };

const writeUsers = `
update "user" account set first_name = r.first_name, last_name = r.last_name, group_name = r.group_name,
  other_groups = r.other_groups, email = r.email, manager_login_id = r.manager_login_id, attributes = r.attributes,
  folded_email = r.folded_email, sort_name = r.sort_name, folded = r.folded, is_admin = r.is_admin, register = r.register, enabled = r.enabled,
  time_factor = r.time_factor,
  admin_scopes = r.admin_scopes,
  password_hash = coalesce(r.password_hash, account.password_hash),
  password_chosen = account.password_chosen and r.password_hash is null,
  password_changed_at = case when r.password_hash is null then account.password_changed_at else $4::timestamptz end,
  password_changed_in = case when r.password_hash is null then account.password_changed_in else r.session_id end,
  email_bounced_at = case when r.email is not distinct from account.email then account.email_bounced_at end,
  email_bounce_reason = case when r.email is not distinct from account.email then account.email_bounce_reason end,
  updated_at = $3::timestamptz
from jsonb_to_recordset($2::jsonb) as r (user_id uuid, first_name text, last_name text, group_name text,
  other_groups text[], email text, manager_login_id text, attributes jsonb,
  is_admin boolean, register boolean, enabled boolean, time_factor double precision, admin_scopes text[], password_hash text, session_id text, folded_email text,
  sort_name text, folded text)
where account.tenant_id = $1 and account.user_id = r.user_id
returning account.*`;

/** A change that its caller may make. */
type Allowed = UserUpdate & { before: UserRow; values: NewValues };

function valuesAfter({ change, by }: UserUpdate, before: UserRow): NewValues {
  const kept = <T>(value: T | undefined, known: T): T => (value === undefined ? known : value);
  const named = {
    first_name: kept(change.FirstName, before.first_name),
    last_name: kept(change.LastName, before.last_name),
    email: kept(change.Email, before.email),
  };
  return {
    ...named,
    ...foldedUser({ ...named, login_id: before.login_id }),
    ...groupsAfter(change, { group_name: before.group_name, other_groups: before.other_groups }),
    manager_login_id: kept(change.ManagerLoginID, before.manager_login_id),
    attributes: attributesAfter(change, attributesOf(before)),
    is_admin: kept(change.IsAdmin, before.is_admin) ?? false,
    register: kept(change.Register, before.register) ?? false,
    enabled: kept(change.Enabled, before.enabled) ?? true,
    time_factor: change.TimeFactor === undefined ? before.time_factor : storedTimeFactor(change.TimeFactor),
    admin_scopes: limitAfter(by, before, change),
  };
}

function allowed(update: UserUpdate, before: UserRow | undefined): Allowed | Problem | null {
  if (!before) return null;
  try {
    rejectAdminChange(update.by, before, update.change);
    rejectOwnManager(before.login_id, update.change);
    return { ...update, before, values: valuesAfter(update, before) };
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

const hasEffect = ({ before, values, passwordHash }: Allowed) =>
  passwordHash !== null || differences(values, before).length > 0;

/**
 * Changes several users, and writes one event for each user that has changed. A result is null if the user
 * does not exist, and a problem if the caller may not make the change; a problem does not affect the other
 * users. It is undefined if the change of group does not fit into the transaction; the first change always does.
 * `locked` are the users' rows, if the caller has locked them for update in this order.
 */
export async function updateUsers(
  ctx: TenantContext,
  updates: readonly UserUpdate[],
  locked?: readonly UserRow[],
): Promise<(UpdatedUser | Problem | null | undefined)[]> {
  if (updates.length === 0) return [];
  return joinTransaction(ctx, async (ctx) => {
    const values = [ctx.tenantId, updates.map(({ loginId }) => loginId)];
    const found = locked ?? (await run<UserRow>(ctx, lockUsers, values));
    const known = new Map(found.map((row) => [row.login_id, row]));
    const checked = updates.map((update) => allowed(update, known.get(update.loginId)));
    const effective = checked.flatMap((one) =>
      one && !(one instanceof Problem) && hasEffect(one) ? [one] : [],
    );
    const regrouped = effective.filter(
      ({ before, values }) => !isDeepStrictEqual(groupsOf(values), groupsOf(before)),
    );
    const later = await changesBeyondLimit(
      ctx,
      regrouped.map(({ before }) => before),
    );
    const written = await write(
      ctx,
      effective.filter(({ loginId }) => !later.has(loginId)),
    );
    const unchanged = ({ before }: Allowed): UpdatedUser => ({ row: before, changed: [] });
    return checked.map((one) => {
      if (one === null || one instanceof Problem) return one;
      return later.has(one.loginId) ? undefined : (written.get(one.loginId) ?? unchanged(one));
    });
  });
}

async function write(ctx: TenantContext, changes: readonly Allowed[]): Promise<Map<string, UpdatedUser>> {
  const written = new Map<string, UpdatedUser>();
  if (changes.length === 0) return written;
  const rows = changes.map(({ before, values, passwordHash, by }) => ({
    ...values,
    user_id: before.user_id,
    password_hash: passwordHash,
    session_id: by.actor.userId === before.user_id ? by.actor.id : null,
  }));
  const values = [ctx.tenantId, JSON.stringify(rows), tenantNow(ctx), ctx.now()];
  for (const row of await run<UserRow>(ctx, writeUsers, values))
    written.set(row.login_id, { row, changed: [] });
  const events: NewEvent[] = [];
  const audits: NewAudit[] = [];
  const withoutLinks: string[] = [];
  for (const { loginId, before, passwordHash, by } of changes) {
    const updated = written.get(loginId);
    if (!updated) continue;
    const { row } = updated;
    const isFollowing = (name: string) =>
      following.has(name) || (name === 'Groups' && isDeepStrictEqual(row.other_groups, before.other_groups));
    updated.changed = differences(toUser(row), toUser(before)).filter((name) => !isFollowing(name));
    if (passwordHash !== null) updated.changed.push('Password');
    if (passwordHash !== null || !row.enabled || row.email !== before.email) withoutLinks.push(row.user_id);
    events.push(...eventsOf(updated, before));
    audits.push(...auditsOf(updated, by));
  }
  await endInvitations(ctx, withoutLinks);
  await endResets(ctx, withoutLinks);
  await appendEvents(ctx, events);
  await appendAudit(ctx, ctx.tenantId, ...audits);
  return written;
}

/** Fields that change only because others do. So does Groups, if only the first group changes. */
const following = new Set(['UpdatedAt', 'EmailBouncedAt', 'EmailBounceReason']);

function eventsOf({ row, changed }: UpdatedUser, before: UserRow): NewEvent[] {
  const { user_id: userId, login_id: LoginID } = row;
  const data = { LoginID, Changed: changed };
  return [
    ...(changed.length > 0 ? [{ type: 'user.updated' as const, userId, data }] : []),
    ...(before.enabled && !row.enabled ? [{ type: 'user.disabled' as const, userId, data }] : []),
  ];
}

/** The audited fields, which determine a person's access. Events report changes to the other fields. */
function auditsOf({ row, changed }: UpdatedUser, { actor }: TenantContext): NewAudit[] {
  const data = {
    ...(changed.includes('IsAdmin') && { IsAdmin: row.is_admin }),
    ...(changed.includes('Enabled') && { Enabled: row.enabled }),
    ...(changed.includes('Password') && { Password: true }),
    ...(changed.includes('Email') && { Email: true }),
  };
  if (Object.keys(data).length === 0) return [];
  return [{ action: 'user.access_changed', targetId: row.user_id, data, actor }];
}

async function hashOf(ctx: TenantContext, password: string | null | undefined): Promise<string | null> {
  if (password === undefined) return null;
  if (password === null) return unmatchablePasswordHash();
  const declared = (await knownTenant.get(ctx, ctx.tenantId))?.PasswordHash ?? 'opaque';
  return storePassword(ctx, readPassword(password, declared));
}

/** Used to reject callers who may not change a password, before the slow hashing. */
const nobody = { is_admin: false, admin_scopes: null, email: null };

/** Changes the given fields; the others keep their values, and null clears a field. */
export async function updateUser(ctx: TenantContext, input: UserChange & { loginId: string }): Promise<User> {
  const { loginId, LoginID, ...change } = input;
  if (LoginID !== undefined && LoginID !== loginId)
    throw new Problem(
      'login_id_immutable',
      'LoginID cannot be changed. Leave it out, or create another user.',
      { param: 'LoginID' },
    );
  const { Password } = change;
  if (Password !== undefined) rejectAdminChange(ctx, nobody, { Password });
  const passwordHash = await hashOf(ctx, Password);
  const [updated] = await updateUsers(ctx, [{ loginId, change, passwordHash, by: ctx }]);
  if (updated instanceof Error) throw updated;
  if (!updated) throw userNotFound();
  return toUser(updated.row);
}
