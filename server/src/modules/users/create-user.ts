import { tenantNow } from '../../platform/clocks.ts';
import type { Actor, TenantContext } from '../../platform/context.ts';
import { isInTransaction, run, transaction } from '../../platform/db/transaction.ts';
import { differences } from '../../platform/differences.ts';
import { codeOf } from '../../platform/error-code.ts';
import { Problem } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { coalesce } from '../../platform/load/coalesce.ts';
import { countCreated } from '../../platform/operations/tenant-growth.ts';
import { Outdated, Postponed } from '../../platform/retries/once.ts';
import { requireScope } from '../../platform/scopes.ts';
import { appendAudit } from '../audit/append.ts';
import { callWithPositions, numberBeforeCommit } from '../events/write.ts';
import { knownTenant } from '../tenants/tenants.ts';
import { sessionLimit } from './administrators.ts';
import { checkPasswordGuess } from './check-user.ts';
import { createUsersText, type NewUserRow } from './create-user-function.ts';
import { type GroupChanges, groupChangesInTransaction, noGroupChanges } from './group-changes.ts';
import { readPassword, storePassword, unmatchablePasswordHash } from './passwords.ts';
import { foldedUser, toUser, type UserRow } from './record.ts';
import type { NewUser, User } from './schemas.ts';
import { type UserUpdate, updateUsers } from './update-users.ts';
import { userNotFound } from './users.ts';

/** `by` is recorded if an administrator is created. `update` has the changes to an existing user. */
type Request = { row: NewUserRow; by: Actor | null; mayCreate: boolean; update: UserUpdate | null };

/** `changed` has the names of the changed fields; null without an update. */
export type Known = { isNew: boolean; row: UserRow; changed: string[] | null };

/** Null if there is no such user. */
type Outcome = Known | Problem | Postponed | null;

type Found = UserRow & { n: number; is_new: boolean };

type Numbered = { n: number; request: Request };

async function insertRows(ctx: TenantContext, requests: Numbered[], isLast: boolean): Promise<Found[]> {
  const rows = JSON.stringify(
    requests.map(({ n, request: { row, mayCreate } }) => ({ n, may_create: mayCreate, ...row })),
  );
  if (!isLast) numberBeforeCommit(ctx, [ctx.tenantId]);
  const values = [ctx.tenantId, rows, tenantNow(ctx), isLast];
  const found = await run<Found>(ctx, { name: 'create_user', text: createUsersText, values });
  countCreated(ctx, ['user', 'user_word'], found.filter(({ is_new }) => is_new).length);
  return found;
}

async function insertOrUpdate(
  ctx: TenantContext,
  requests: Request[],
  groups: GroupChanges,
  isLast: boolean,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = requests.map(({ row }) =>
    groups.postponed.has(row.login_id) ? new Postponed() : null,
  );
  const left = requests.flatMap((request, n) => (outcomes[n] ? [] : [{ n, request }]));
  const found = await insertRows(ctx, left, isLast);
  for (const { n, is_new, ...row } of found) outcomes[n] = { isNew: is_new, row, changed: null };
  const updates = found.flatMap(({ n, is_new }) => {
    const update = is_new ? null : requests[n]?.update;
    return update ? [{ n, update }] : [];
  });
  const updated = await updateUsers(
    ctx,
    updates.map(({ update }) => update),
    groups,
  );
  for (const [at, { n }] of updates.entries()) {
    const one = updated[at] ?? null;
    outcomes[n] = one === null || one instanceof Error ? one : { isNew: false, ...one };
  }
  const made = found.flatMap(({ n, is_new, user_id }) => {
    const actor = is_new ? requests[n]?.by : null;
    return actor ? [{ action: 'administrator.created', targetId: user_id, data: {}, actor } as const] : [];
  });
  await appendAudit(ctx, ctx.tenantId, ...made);
  return outcomes;
}

/** Creates users for several callers in one transaction. */
async function insertSome(ctx: TenantContext, requests: Request[]): Promise<Outcome[]> {
  const groups = groupChangesInTransaction(ctx);
  const call = (isLast: boolean) => insertOrUpdate(ctx, requests, groups, isLast);
  const isNew = (one: Outcome) => one !== null && 'isNew' in one && one.isNew;
  const outcomes = await callWithPositions(ctx, requests.every(isOneStatement), call, isNew);
  return outcomes ?? requests.map(() => new Postponed());
}

const isOneStatement = ({ by, update }: Request) => by === null && update === null;

/**
 * The bytes of the texts by which a user is found. The words of long texts take much longer to store than the other
 * columns. 200 usual users have about 12 kB.
 */
const textsOf = ({ login_id, first_name, last_name, email }: NewUserRow) =>
  Buffer.byteLength(`${login_id}${first_name ?? ''}${last_name ?? ''}${email ?? ''}`);

/** Rows with the same LoginID run one after the other, so each row sees the changes of the previous one. */
const insertUser = coalesce<TenantContext, Request, Outcome>({
  name: 'create_user',
  group: (ctx) => ctx.tenantId,
  key: ({ row }) => row.login_id,
  run: (ctx, requests) => {
    if (isInTransaction(ctx)) return insertSome(ctx, requests);
    return requests.every(isOneStatement)
      ? insertOrUpdate(ctx, requests, noGroupChanges(), true)
      : transaction(ctx, (ctx) => insertOrUpdate(ctx, requests, noGroupChanges(), false));
  },
  bytes: { of: ({ row }) => textsOf(row), max: 16_384 },
  runsAgain: (ctx, outcome) => outcome instanceof Postponed && !isInTransaction(ctx),
});

export type UserDraft = {
  input: NewUser;
  row: NewUserRow;
  password: string | null;
  /** For an existing user, the stored hash with which the password was compared. */
  compared: { stored: string; matches: boolean } | null;
};

/** PostgreSQL's error code. A bulk call that enrols the same users may lock them in a different order. */
const deadlock = '40P01';

/** Words that our URLs use in place of a LoginID. For example, `GET /enrolment/key` lists keys. */
export const reservedLoginIDs: readonly string[] = ['key'];

export async function draft(
  ctx: TenantContext,
  input: NewUser,
  store: (password: string) => Promise<string> | string,
): Promise<UserDraft> {
  if (reservedLoginIDs.includes(input.LoginID))
    throw new Problem(
      'validation_failed',
      `LoginID cannot be "${input.LoginID}", because the API uses this word in its URLs. Choose another one.`,
      { param: 'LoginID' },
    );
  if (input.IsAdmin) requireScope(ctx, 'users:admin', 'Creating an administrator');
  if (input.Password != null) requireScope(ctx, 'users:admin', "Setting a user's Password");
  const declared = (await knownTenant.get(ctx, ctx.tenantId))?.PasswordHash ?? 'opaque';
  const password = input.Password == null ? null : readPassword(input.Password, declared);
  const named = {
    login_id: input.LoginID,
    first_name: input.FirstName ?? null,
    last_name: input.LastName ?? null,
    email: input.Email ?? null,
  };
  const row: NewUserRow = {
    ...named,
    ...foldedUser(named),
    user_id: newId(tenantNow(ctx)),
    event_id: newId(tenantNow(ctx)),
    group_name: input.GroupName ?? null,
    is_admin: input.IsAdmin ?? false,
    register: input.Register ?? false,
    enabled: input.Enabled ?? true,
    password_hash: password === null ? unmatchablePasswordHash() : await store(password),
    admin_scopes: input.IsAdmin || password !== null ? sessionLimit(ctx) : null,
  };
  return { input, row, password, compared: null };
}

function updateOf(ctx: TenantContext, { input, row }: UserDraft): UserUpdate | null {
  const { LoginID: _, IfExists, IfMissing: __, ...change } = input;
  if (IfExists !== 'update') return null;
  const passwordHash = change.Password === undefined ? null : row.password_hash;
  return { loginId: row.login_id, change, passwordHash, by: ctx };
}

/** Tries again if another node created the user during the statement, or after a deadlock. */
export async function insertOrFind(ctx: TenantContext, drafted: UserDraft): Promise<Known | Problem | null> {
  const { row, input } = drafted;
  const mayCreate = input.IfMissing !== 'fail';
  const request = { row, by: row.is_admin ? ctx.actor : null, mayCreate, update: updateOf(ctx, drafted) };
  const attempt = async () => {
    const outcome = await insertUser(ctx, request);
    if (outcome instanceof Postponed) throw outcome;
    return outcome;
  };
  try {
    const outcome = await attempt();
    if (outcome || !mayCreate) return outcome;
  } catch (error) {
    if (codeOf(error) !== deadlock) throw error;
  }
  return attempt();
}

/** `changed` has the names of the fields that an update changed; null if none was requested. */
export type Created = { user: User; isNew: boolean; changed: string[] | null };

export async function toCreated(
  ctx: TenantContext,
  drafted: UserDraft,
  outcome: Known | Problem | null,
): Promise<Created> {
  if (outcome instanceof Problem) throw outcome;
  if (!outcome && drafted.input.IfMissing === 'fail') throw userNotFound();
  if (!outcome)
    throw new Problem('unavailable', 'The user is being changed by another request. Try again.', {
      retryAfter: 1,
    });
  const { row, isNew, changed } = outcome;
  const user = toUser(row);
  if (!isNew && changed === null) await rejectDifferences(ctx, drafted, user, row.password_hash);
  return { user, isNew, changed };
}

/**
 * Does the slow work before a transaction: hashes the password and compares it with an existing user's
 * password.
 */
export async function draftUser(ctx: TenantContext, input: NewUser): Promise<UserDraft> {
  const drafted = await draft(ctx, input, (password) => storePassword(ctx, password));
  if (drafted.password === null || input.IfExists === 'update') return drafted;
  const { password, row } = drafted;
  return { ...drafted, compared: await checkPasswordGuess(ctx, { loginId: row.login_id, password }) };
}

/**
 * Creates a user. Updates an existing user if the caller requests it. Otherwise, the existing data
 * must be the same (a safe retry).
 */
export async function createDrafted(ctx: TenantContext, drafted: UserDraft): Promise<Created> {
  return toCreated(ctx, drafted, await insertOrFind(ctx, drafted));
}

export async function createUser(ctx: TenantContext, input: NewUser): Promise<Created> {
  return createDrafted(ctx, await draftUser(ctx, input));
}

async function rejectDifferences(
  ctx: TenantContext,
  { input, password, compared }: UserDraft,
  user: User,
  stored: string,
): Promise<void> {
  const { Password: _, IfExists: __, IfMissing: ___, ...sent } = input;
  const defaults = { IsAdmin: false, Register: false, Enabled: true };
  const meant = Object.entries({ ...sent, LoginID: user.LoginID }).map(([name, value]) => [
    name,
    value ?? defaults[name as keyof typeof defaults] ?? null,
  ]);
  const differs = differences(Object.fromEntries(meant), user);
  if (password !== null) {
    const isCompared = compared?.stored === stored;
    // Do not hash here, because hashing is slow and other requests wait for the transaction.
    if (!isCompared && isInTransaction(ctx)) throw new Outdated();
    const found = isCompared ? compared : await checkPasswordGuess(ctx, { loginId: user.LoginID, password });
    if (!found?.matches) differs.push('Password');
  }
  if (differs.length > 0)
    throw new Problem(
      'user_exists',
      `The user exists, but differs in ${differs.join(', ')}. To change the user, set IfExists to update.`,
      { param: 'LoginID', differs },
    );
}
