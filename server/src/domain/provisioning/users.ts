import type { FastifyRequest } from 'fastify';
import { ownRows, updateOwn } from '../../db/own-rows.ts';
import { parametersAfter, run } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { asService, requireScope } from '../../infra/context/scopes.ts';
import { isId } from '../../lib/ids.ts';
import { differences } from '../../lib/tables.ts';
import { cleanText, foldCase, isStorable } from '../../lib/unicode.ts';
import { createUser } from '../users/create-user.ts';
import { groupsSql } from '../users/groups.ts';
import type { UserChange } from '../users/schemas.ts';
import { updateUsers } from '../users/update-users.ts';
import type { UserRow } from '../users/users.ts';
import { userCondition } from './filter.ts';
import { guardDisabling } from './guard.ts';
import { isRecord, type Json, type Resource } from './json.ts';
import { applyOperations, asBoolean, merged, parseFilter, readOperations } from './patch.ts';
import { listOf, metaOf, notFound, pageOf, refuse, ScimError, schemaIds, selected } from './protocol.ts';

/** `resource` is what the provider sent last, for the attributes that Lectern has no field for. */
type Row = UserRow & {
  user_name: string | null;
  external_id: string | null;
  resource: Resource | null;
  manager_id: string | null;
  groups: { value: string; display: string }[];
};

const select = `
select account.*, own.user_name, own.external_id, own.resource,
  (select boss.user_id from "user" boss where boss.tenant_id = $1 and boss.login_id = account.manager_login_id) as manager_id,
  coalesce((select jsonb_agg(jsonb_build_object('value', named.group_id, 'display', named.display_name) order by named.display_name)
    from scim_group named where named.tenant_id = $1 and named.display_name = any(${groupsSql('account')})), '[]') as groups
from "user" account
left join scim_user own on own.tenant_id = $1 and own.user_id = account.user_id
where account.tenant_id = $1 and own.deleted_at is null`;

/** Attributes of the enterprise extension and of the user that become Attributes. */
const attributes = {
  Department: 'department',
  EmployeeNumber: 'employeeNumber',
  CostCenter: 'costCenter',
  Organization: 'organization',
  Division: 'division',
} as const;

const text = (value: Json, max = 255): string | null => {
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const clean = cleanText(String(value)).trim();
  return clean === '' || !isStorable(clean) ? null : clean.slice(0, max);
};

const listIn = (value: Json): Resource[] => (Array.isArray(value) ? value.filter(isRecord) : []);

function emailOf({ emails }: Resource): string | null {
  const all = listIn(emails);
  const best =
    all.find(({ primary }) => asBoolean(primary) === true) ??
    all.find(({ type }) => type === 'work') ??
    all[0];
  return text(best?.value, 320);
}

/** What Lectern knows replaces what the provider sent. */
function toResource(ctx: TenantContext, row: Row): Resource {
  const stored = row.resource ?? {};
  const name = isRecord(stored.name) ? stored.name : {};
  const { [schemaIds.enterprise]: extension, emails, ...rest } = stored;
  const known = listIn(emails);
  const address = emailOf(stored);
  const shown =
    row.email === address
      ? known
      : row.email === null
        ? []
        : [{ value: row.email, type: 'work', primary: true }];
  const manager =
    row.manager_login_id === null
      ? {}
      : { manager: { value: row.manager_id ?? row.manager_login_id, displayName: row.manager_login_id } };
  const { manager: _, ...others } = isRecord(extension) ? extension : ({} as Resource);
  const enterprise = { ...others, ...manager };
  const { user_id: id, created_at: created, updated_at: changed } = row;
  return {
    ...rest,
    schemas: [schemaIds.user, ...(Object.keys(enterprise).length > 0 ? [schemaIds.enterprise] : [])],
    id,
    ...(row.external_id !== null && { externalId: row.external_id }),
    userName: row.user_name ?? row.login_id,
    name: {
      ...name,
      ...(row.first_name !== null && { givenName: row.first_name }),
      ...(row.last_name !== null && { familyName: row.last_name }),
    },
    active: row.enabled,
    ...(shown.length > 0 && { emails: shown }),
    groups: row.groups,
    ...(Object.keys(enterprise).length > 0 && { [schemaIds.enterprise]: enterprise }),
    meta: metaOf(ctx, 'User', { id, created, changed }),
  };
}

const one = `${select} and account.user_id = $2`;

async function findRow(ctx: TenantContext, id: string, lock = false): Promise<Row> {
  const text = lock ? `${one} for update of account` : one;
  const [row] = isId(id) ? await run<Row>(ctx, text, [ctx.tenantId, id]) : [];
  if (!row) throw notFound('user');
  return row;
}

export const readUser = async (ctx: TenantContext, id: string): Promise<Resource> =>
  toResource(ctx, await findRow(ctx, id));

export async function listUsers(ctx: TenantContext, request: FastifyRequest): Promise<Resource> {
  const { startIndex, count } = pageOf(request);
  const { filter } = request.query as Record<string, unknown>;
  const parameters = parametersAfter(ctx.tenantId);
  const condition =
    filter === undefined || filter === ''
      ? ''
      : ` and ${userCondition(parseFilter(String(filter)), parameters)}`;
  const values = [...parameters.values];
  const page = `${select}${condition} order by account.user_id limit ${count} offset ${startIndex - 1}`;
  const rows = count === 0 ? [] : await run<Row>(ctx, page, values);
  const total = async () => {
    const text = `select count(*)::integer as count from "user" account
      left join scim_user own on own.tenant_id = $1 and own.user_id = account.user_id
      where account.tenant_id = $1 and own.deleted_at is null${condition}`;
    const [counted] = await run<{ count: number }>(ctx, text, values);
    return counted?.count ?? 0;
  };
  const resources = rows.map((row) => selected(request, toResource(ctx, row)));
  return listOf(resources, { startIndex, count, total });
}

function userNameOf(resource: Resource): string {
  const name = text(resource.userName);
  return name ?? refuse('invalidValue', 'userName is missing. Send it as a text of up to 255 characters.');
}

/** A manager is a SCIM id, a userName, an externalId or a LoginID, sent as an object or, in some dialects, as a text. */
async function managerOf(ctx: TenantContext, value: Json): Promise<string | null> {
  const sent = text(isRecord(value) ? (value.value ?? value.$ref) : value);
  if (sent === null) return null;
  const key = sent.slice(sent.lastIndexOf('/') + 1);
  const [found] = await run<{ login_id: string }>(
    ctx,
    `select account.login_id from "user" account where account.tenant_id = $1 and account.user_id = $4::uuid
      union all
      select account.login_id from scim_user own
      join "user" account on account.tenant_id = $1 and account.user_id = own.user_id
      where own.tenant_id = $1 and (own.folded_user_name = $3 or own.external_id = $2)
      union all
      select account.login_id from "user" account where account.tenant_id = $1 and account.login_id = $2
      limit 1`,
    [ctx.tenantId, key, foldCase(key), isId(key) ? key : null],
  );
  return found?.login_id ?? sent;
}

/** The fields of the user that follow from the resource. Without `active`, the user stays as they are. */
async function changeOf(ctx: TenantContext, resource: Resource, before: Resource): Promise<UserChange> {
  const name = isRecord(resource.name) ? resource.name : {};
  const active = asBoolean(resource.active);
  if (active !== undefined && active !== null && typeof active !== 'boolean')
    refuse('invalidValue', 'active must be true or false.');
  const extension = isRecord(resource[schemaIds.enterprise])
    ? (resource[schemaIds.enterprise] as Resource)
    : {};
  const earlier = isRecord(before[schemaIds.enterprise]) ? (before[schemaIds.enterprise] as Resource) : {};
  const sent = Object.entries(attributes).flatMap(([field, attribute]) =>
    attribute in extension || attribute in earlier ? [[field, text(extension[attribute])] as const] : [],
  );
  const title = 'title' in resource || 'title' in before ? [['Title', text(resource.title)] as const] : [];
  const Attributes = Object.fromEntries([...sent, ...title]);
  const isManaged = 'manager' in extension || 'manager' in earlier;
  return {
    FirstName: text(name.givenName),
    LastName: text(name.familyName),
    Email: emailOf(resource),
    ...(typeof active === 'boolean' && { Enabled: active }),
    ...(Object.keys(Attributes).length > 0 && { Attributes }),
    ...(isManaged && { ManagerLoginID: await managerOf(ctx, extension.manager) }),
  };
}

const isTaken = `
select 1 from scim_user known where known.tenant_id = $1 and known.folded_user_name = $2
  and known.user_id is distinct from $3::uuid and known.deleted_at is null
union all
select 1 from "user" known where known.tenant_id = $1 and lower(known.login_id) collate "C" = $2 and known.user_id is distinct from $3::uuid
  and not exists (select from scim_user own where own.tenant_id = $1 and own.user_id = known.user_id)
limit 1`;

async function rejectTaken(ctx: TenantContext, userName: string, userId: string | null): Promise<void> {
  const taken = await run(ctx, isTaken, [ctx.tenantId, foldCase(userName), userId]);
  if (taken.length > 0)
    throw new ScimError(
      409,
      `Another user has the userName ${userName}. Find it by a filter and change it.`,
      'uniqueness',
    );
}

const maxStored = 32 * 1024;

const derived = new Set(['id', 'meta', 'schemas', 'groups', 'password', 'active', 'userName', 'externalId']);

/** The attributes for which Lectern has no field. */
function keptOf(resource: Resource): Resource {
  const kept = Object.entries(resource).filter(([name]) => !derived.has(name));
  const { givenName: _, familyName: __, ...name } = isRecord(resource.name) ? resource.name : {};
  return { ...Object.fromEntries(kept), name };
}

/** Returns what is stored. Most changes concern only the user's own fields, so nothing is written. */
async function store(ctx: TenantContext, userId: string, resource: Resource, before: Row | null) {
  const stored = JSON.stringify(keptOf(resource));
  if (stored.length > maxStored || !isStorable(stored)) refuse('invalidValue', 'The resource is too large.');
  const userName = userNameOf(resource);
  const row = {
    user_name: userName,
    folded_user_name: foldCase(userName),
    external_id: text(resource.externalId),
    resource: stored,
    deleted_at: null,
  };
  const after = {
    user_name: userName,
    external_id: row.external_id,
    resource: JSON.parse(stored) as Resource,
  };
  if (before && differences(after, before).length === 0) return after;
  await ctx.db
    .insertInto('scim_user')
    .values({ tenant_id: ctx.tenantId, user_id: userId, ...row })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'user_id']).doUpdateSet(row))
    .execute();
  return after;
}

/**
 * A directory decides about users, but not about who administers Lectern: only a key with users:admin moves an
 * administrator's address, to which password links are sent. The row must be locked.
 */
async function change(ctx: TenantContext, row: UserRow, wanted: UserChange): Promise<UserRow> {
  if (row.is_admin && wanted.Email !== undefined && wanted.Email !== row.email)
    requireScope(ctx, 'users:admin', "Changing an administrator's email address");
  if (row.enabled && wanted.Enabled === false) await guardDisabling(ctx);
  const update = { loginId: row.login_id, change: wanted, passwordHash: null, by: asService(ctx) };
  const [updated] = await updateUsers(ctx, [update], [row]);
  if (updated instanceof Error) throw updated;
  if (!updated) throw notFound('user');
  return updated.row;
}

/** A deleted user whose account comes back keeps LoginID and results. */
async function findDeleted(ctx: TenantContext, userName: string): Promise<UserRow | null> {
  const [row] = await run<UserRow>(
    ctx,
    `select account.* from scim_user own join "user" account on account.tenant_id = $1 and account.user_id = own.user_id
      where own.tenant_id = $1 and own.folded_user_name = $2 and own.deleted_at is not null limit 1 for update of account`,
    [ctx.tenantId, foldCase(userName)],
  );
  return row ?? null;
}

/** Creates the user with the userName as LoginID. Call it, and the functions below, in a transaction. */
export async function createScimUser(ctx: TenantContext, sent: Json): Promise<Resource> {
  if (!isRecord(sent)) return refuse('invalidSyntax', 'Send the user as a JSON object.');
  const resource = merged({}, sent);
  const userName = userNameOf(resource);
  const deleted = await findDeleted(ctx, userName);
  if (!deleted) await rejectTaken(ctx, userName, null);
  const wanted = await changeOf(ctx, resource, {});
  let userId = deleted?.user_id;
  if (deleted) await change(ctx, deleted, { Enabled: true, ...wanted });
  else {
    await createUser(asService(ctx), { LoginID: userName, ...wanted });
    const made = ownRows(ctx, 'user').select('user_id');
    userId = (await made.where('login_id', '=', userName).executeTakeFirstOrThrow()).user_id;
  }
  await store(ctx, userId ?? '', resource, null);
  return readUser(ctx, userId ?? '');
}

async function update(
  ctx: TenantContext,
  id: string,
  next: (before: Resource) => Resource,
): Promise<Resource> {
  const row = await findRow(ctx, id, true);
  const before = toResource(ctx, row);
  const after = next(before);
  const userName = userNameOf(after);
  if (foldCase(userName) !== foldCase(String(before.userName))) await rejectTaken(ctx, userName, id);
  const changed = await change(ctx, row, await changeOf(ctx, after, before));
  const stored = await store(ctx, id, after, row);
  if (changed.manager_login_id !== row.manager_login_id) return readUser(ctx, id);
  return toResource(ctx, { ...row, ...changed, ...stored });
}

export const patchScimUser = (ctx: TenantContext, id: string, body: Json) =>
  update(ctx, id, (before) => applyOperations(before, readOperations(body)));

export const putScimUser = (ctx: TenantContext, id: string, body: Json) =>
  update(ctx, id, (before) =>
    isRecord(body) ? merged(before, body) : refuse('invalidSyntax', 'Send the user as a JSON object.'),
  );

/** Disables the user and keeps the results. An erasure is another operation. */
export async function deleteScimUser(ctx: TenantContext, id: string): Promise<void> {
  const resource = await update(ctx, id, (before) => ({ ...before, active: false }));
  await updateOwn(ctx, 'scim_user', { user_id: String(resource.id) })
    .set({ deleted_at: ctx.now() })
    .execute();
}
