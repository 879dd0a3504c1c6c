import { databaseFunction, functionForTenants } from '../../db/functions.ts';
import { joinTransaction } from '../../db/transaction.ts';
import { Outdated, openVerb, perform, type Submission, type VerbCall } from '../../infra/calls/once.ts';
import { byTenant } from '../../infra/calls/queue.ts';
import { type Actor, type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { requireScope, type Scope } from '../../infra/context/scopes.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { differences } from '../../lib/tables.ts';
import { appendAudit } from '../audit/chain.ts';
import { eventBuffer, eventType, numberBeforeCommit } from '../events/write.ts';
import { knownTenant } from '../tenants/tenants.ts';
import { sessionLimit } from './administrators.ts';
import { checkPasswordGuess } from './check-user.ts';
import { attributesAfter, groupsAfter, groupsOf, rejectOwnManager, ungrouped } from './groups.ts';
import { readPassword, storePassword, unmatchablePasswordHash } from './passwords.ts';
import type { NewUser, User } from './schemas.ts';
import { type UserUpdate, updateUsers } from './update-users.ts';
import {
  type FoldedUser,
  foldedUser,
  storedTimeFactor,
  toUser,
  type UserColumns,
  type UserRow,
  userNotFound,
} from './users.ts';

export type NewUserRow = UserColumns &
  FoldedUser & {
    user_id: string;
    event_id: string;
    login_id: string;
    password_hash: string;
    admin_scopes: readonly Scope[] | null;
  };

const columns =
  'user_id, login_id, first_name, last_name, group_name, other_groups, email, manager_login_id, attributes, is_admin, register, enabled, time_factor, password_hash, admin_scopes, folded_email, sort_name, folded';

const requested = columns.replaceAll(/\w+/g, 'request.$&');

/**
 * Creates users of the tenant `$1` at the time `$3`, unless `may_create` is false. Returns all of
 * them, including existing ones. `$4` is true if nothing else follows in the transaction.
 */
export const createUserFunction = databaseFunction({
  name: 'create_user',
  parameters: 'text, jsonb, timestamptz, boolean',
  returns: 'table (n integer, is_new boolean, held "user")',
  body: `
declare
  request record;
  ${eventBuffer.declare}
begin
  for request in
    select * from jsonb_to_recordset($2) as r (n integer, may_create boolean, event_id uuid, user_id uuid, login_id text,
      first_name text, last_name text, group_name text, other_groups text[], email text, manager_login_id text,
      attributes jsonb, is_admin boolean, register boolean,
      enabled boolean, time_factor double precision, password_hash text, admin_scopes text[], folded_email text, sort_name text, folded text)
    order by r.login_id
  loop
    n := request.n;
    is_new := false;
    if request.may_create then
      insert into "user" as own (tenant_id, ${columns}, created_at, updated_at)
      values ($1, ${requested}, $3, $3)
      on conflict (tenant_id, login_id) do nothing
      returning own.* into held;
      is_new := found;
    end if;
    if is_new then
      ${eventBuffer.add({
        id: 'request.event_id',
        type: eventType('user.created'),
        user: 'request.user_id',
        enrolment: 'null',
        course: 'null',
        data: "jsonb_build_object('LoginID', request.login_id)",
      })}
    else
      select own.* into held from "user" own where own.tenant_id = $1 and own.login_id = request.login_id;
      continue when not found;
    end if;
    return next;
  end loop;
  ${eventBuffer.write('$4')}
end`,
});

export const createUsersForTenants = functionForTenants(
  createUserFunction,
  'outcome.n, outcome.is_new, (outcome.held).*',
);

/** `by` is recorded if an administrator is created. `update` has the changes to an existing user. */
type Request = { row: NewUserRow; by: Actor | null; mayCreate: boolean; update: UserUpdate | null };

/** `changed` has the names of the changed fields; null without an update. */
export type Known = { isNew: boolean; row: UserRow; changed: string[] | null };

/** Null if there is no such user. */
type Outcome = Known | Problem | null;

type Found = UserRow & { n: number; is_new: boolean };

type Call = VerbCall<Request>;
type Numbered = { ctx: TenantContext; n: number; request: Request };

const numbered = (calls: readonly Call[]): Numbered[] =>
  calls.map(({ ctx, row: request }, n) => ({ ctx, n, request }));

/** Creates users, or finds them if they exist. A user of a tenant that was left out has no result. */
async function insertRows(
  ctx: TenantContext,
  requests: readonly Numbered[],
  isLast: boolean,
): Promise<Map<number, Known | null>> {
  const tenants = byTenant(requests).map((own) => {
    const { ctx } = own[0] as Numbered;
    if (!isLast) numberBeforeCommit(ctx, [ctx.tenantId]);
    const rows = own.map(({ n, request: { row, mayCreate } }) => ({ n, may_create: mayCreate, ...row }));
    return { ctx, values: [JSON.stringify(rows), tenantNow(ctx), isLast] };
  });
  const { rows, isLeftOut } = await createUsersForTenants.call<Found>(ctx, tenants);
  const found = new Map(rows.map(({ n, is_new, ...row }) => [n, { isNew: is_new, row, changed: null }]));
  const known = requests.filter(({ ctx }) => !isLeftOut(ctx.tenantId));
  return new Map(known.map(({ n }) => [n, found.get(n) ?? null]));
}

/** Whether the request needs no more than the function. */
const isPlain = ({ by, update }: Request) => by === null && update === null;

/**
 * Updates and new administrators take several statements, so they are left for a transaction of their tenant. An update
 * has no result if its change of group does not fit into the transaction.
 */
async function createUsers(
  ctx: TenantContext,
  calls: readonly Call[],
  isLast: boolean,
): Promise<(Outcome | undefined)[]> {
  const requests = numbered(calls);
  const isOfOne = requests.every(({ ctx }) => ctx.tenantId === requests[0]?.ctx.tenantId);
  const plain = requests.filter(({ request }) => isPlain(request));
  if (isOfOne && plain.length < requests.length)
    return joinTransaction(ctx, (ctx) =>
      createOrUpdate(
        ctx,
        requests.map((one) => ({ ...one, ctx })),
      ),
    );
  const found = await insertRows(ctx, plain, isLast);
  return calls.map((_, n) => found.get(n));
}

async function createOrUpdate(
  ctx: TenantContext,
  requests: readonly Numbered[],
): Promise<(Outcome | undefined)[]> {
  const found: Map<number, Outcome> = await insertRows(ctx, requests, false);
  const isNew = (n: number) => {
    const one = found.get(n);
    return one && 'isNew' in one ? one.isNew : null;
  };
  const updates = requests.flatMap(({ n, request: { update } }) =>
    update && isNew(n) === false ? [{ n, update }] : [],
  );
  const updated = await updateUsers(
    ctx,
    updates.map(({ update }) => update),
  );
  for (const [at, { n }] of updates.entries()) {
    const one = updated[at];
    if (one === undefined) found.delete(n);
    else found.set(n, one === null || one instanceof Problem ? one : { isNew: false, ...one });
  }
  const made = requests.flatMap(({ n, request: { by } }) => {
    const one = found.get(n);
    return by && one && 'row' in one && one.isNew
      ? [{ action: 'administrator.created', targetId: one.row.user_id, data: {}, actor: by } as const]
      : [];
  });
  await appendAudit(ctx, ctx.tenantId, ...made);
  return requests.map(({ n }) => found.get(n));
}

/**
 * The bytes of the texts by which a user is found. Indexing the parts of long texts takes much longer than storing the
 * other columns. 200 usual users have about 12 kB.
 */
const textsOf = ({ login_id, first_name, last_name, email }: NewUserRow) =>
  Buffer.byteLength(`${login_id}${first_name ?? ''}${last_name ?? ''}${email ?? ''}`);

/** Rows with the same LoginID run one after the other, so each row sees the changes of the previous one. */
const submission = openVerb<Request, Outcome>({
  name: 'create_user',
  isShared: true,
  key: ({ row }) => row.login_id,
  bytes: { of: ({ row }) => textsOf(row), max: 16_384 },
  run: createUsers,
});

export type UserDraft = {
  input: NewUser;
  row: NewUserRow;
  password: string | null;
  /** For an existing user, the stored hash with which the password was compared. */
  compared: { stored: string; matches: boolean } | null;
};

/** Words that our URLs use in place of a LoginID. For example, `GET /enrolment/key` lists keys. */
export const reservedLoginIDs: readonly string[] = ['key'];

async function readTenantPassword(ctx: TenantContext, password: string): Promise<string> {
  const tenant = await knownTenant.get(ctx, ctx.tenantId);
  return readPassword(password, tenant?.PasswordHash ?? 'opaque');
}

export async function draft(
  ctx: TenantContext,
  input: NewUser,
  store: (password: string) => Promise<string> | string,
): Promise<UserDraft> {
  if (reservedLoginIDs.includes(input.LoginID))
    throw invalid(
      'LoginID',
      `LoginID cannot be "${input.LoginID}", because the API uses this word in its URLs. Choose another one.`,
    );
  rejectOwnManager(input.LoginID, input);
  if (input.IsAdmin) requireScope(ctx, 'users:admin', 'Creating an administrator');
  if (input.Password != null) requireScope(ctx, 'users:admin', "Setting a user's Password");
  const password = input.Password == null ? null : await readTenantPassword(ctx, input.Password);
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
    ...groupsAfter(input, ungrouped),
    manager_login_id: input.ManagerLoginID ?? null,
    attributes: attributesAfter(input, {}),
    is_admin: input.IsAdmin ?? false,
    register: input.Register ?? false,
    enabled: input.Enabled ?? true,
    time_factor: input.TimeFactor === undefined ? 1 : storedTimeFactor(input.TimeFactor),
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

export function creating<T>(
  ctx: TenantContext,
  drafted: UserDraft,
  answer: (outcome: Known | Problem | null) => T,
): Submission<T> {
  const { row, input } = drafted;
  const mayCreate = input.IfMissing !== 'fail';
  const request = { row, by: row.is_admin ? ctx.actor : null, mayCreate, update: updateOf(ctx, drafted) };
  return submission(request, answer);
}

/** `changed` has the names of the fields that an update changed; null if none was requested. */
export type Created = { user: User; isNew: boolean; changed: string[] | null };

/** Throws `Outdated` if the user has been created or has got another password since the draft. */
export function toCreated(drafted: UserDraft, outcome: Known | Problem | null): Created {
  if (outcome instanceof Problem) throw outcome;
  if (!outcome) throw drafted.input.IfMissing === 'fail' ? userNotFound() : new Outdated();
  const { row, isNew, changed } = outcome;
  const user = toUser(row);
  if (!isNew && changed === null) rejectDifferences(drafted, user, row.password_hash);
  return { user, isNew, changed };
}

/** Does the slow work before a transaction: hashes the password and compares it with an existing user's password. */
async function draftUser(ctx: TenantContext, input: NewUser): Promise<UserDraft> {
  const drafted = await draft(ctx, input, (password) => storePassword(ctx, password));
  if (drafted.password === null || input.IfExists === 'update') return drafted;
  const { password, row } = drafted;
  return { ...drafted, compared: await checkPasswordGuess(ctx, { loginId: row.login_id, password }) };
}

/**
 * Creates a user. Updates an existing user if the caller requests it. Otherwise, the existing data
 * must be the same (a safe retry).
 */
export async function creatingUser<T>(
  ctx: TenantContext,
  input: NewUser,
  answer: (created: Created) => T,
): Promise<Submission<T>> {
  const drafted = await draftUser(ctx, input);
  return creating(ctx, drafted, (outcome) => answer(toCreated(drafted, outcome)));
}

export function createUser(ctx: TenantContext, input: NewUser): Promise<Created> {
  return perform(ctx, () => creatingUser(ctx, input, (created) => created));
}

function rejectDifferences({ input, password, compared }: UserDraft, user: User, stored: string): void {
  const { Password: _, IfExists: __, IfMissing: ___, Attributes, ...others } = input;
  const sent = {
    ...others,
    ...(others.Groups !== undefined && { Groups: groupsOf(groupsAfter(input, ungrouped)) }),
    ...(Attributes !== undefined && { Attributes: attributesAfter({ Attributes }, user.Attributes) }),
  };
  const defaults = { IsAdmin: false, Register: false, Enabled: true };
  const meant = Object.entries({ ...sent, LoginID: user.LoginID }).map(([name, value]) => [
    name,
    value ?? defaults[name as keyof typeof defaults] ?? null,
  ]);
  const differs = differences(Object.fromEntries(meant), user);
  if (password !== null) {
    // Do not hash here, because hashing is slow and other requests wait for the transaction.
    if (compared?.stored !== stored) throw new Outdated();
    if (!compared.matches) differs.push('Password');
  }
  if (differs.length > 0)
    throw new Problem(
      'user_exists',
      `The user exists, but differs in ${differs.join(', ')}. To change the user, set IfExists to update.`,
      { param: 'LoginID', differs },
    );
}
