import type { FastifyRequest } from 'fastify';
import type { Selectable } from 'kysely';
import type { ScimGroupTable } from '../../db/engine/generated.ts';
import { deleteOwn, ownRows, updateOwn } from '../../db/own-rows.ts';
import { parametersAfter, run, transaction } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { asService } from '../../infra/context/scopes.ts';
import { isId, newId } from '../../lib/ids.ts';
import { cleanText, foldCase } from '../../lib/unicode.ts';
import { groupsOf, usersOfGroup } from '../users/groups.ts';
import { updateUsers } from '../users/update-users.ts';
import type { UserRow } from '../users/users.ts';
import { isRecord, type Json, type Resource } from './json.ts';
import { applyOperations, type Operation, parseFilter, readOperations } from './patch.ts';
import {
  listOf,
  metaOf,
  notFound,
  pageOf,
  refuse,
  ScimError,
  schemaIds,
  selected,
  wantsMembers,
} from './protocol.ts';

type Row = Selectable<ScimGroupTable>;

/** A larger group is shown without its members, because no request may load them all. */
const maxShown = 1_000;
const batch = 200;

function toResource(ctx: TenantContext, row: Row, members: Resource[] | null): Resource {
  const { group_id: id, created_at: created, updated_at: changed } = row;
  return {
    schemas: [schemaIds.group],
    id,
    ...(row.external_id !== null && { externalId: row.external_id }),
    displayName: row.display_name,
    ...(members && { members }),
    meta: metaOf(ctx, 'Group', { id, created, changed }),
  };
}

type Member = { user_id: string; login_id: string };

/** Up to `limit` members after a LoginID, in the order of the index. */
async function membersAfter(
  ctx: TenantContext,
  name: string,
  after: string,
  limit: number,
): Promise<Member[]> {
  const { rows, more, values } = usersOfGroup(ctx.tenantId, name);
  const page = (from: string) =>
    `(select held.user_id, held.login_id from ${from} and held.login_id > $3 order by held.login_id limit $4)`;
  const text = `${page(rows)}${more ? ` union ${page(more)}` : ''} order by login_id limit $4`;
  return run<Member>(ctx, text, [...values, after, limit]);
}

async function shownMembers(ctx: TenantContext, { display_name }: Row): Promise<Resource[] | null> {
  const members = await membersAfter(ctx, display_name, '', maxShown + 1);
  if (members.length > maxShown) return null;
  return members.map(({ user_id, login_id }) => ({ value: user_id, display: login_id, type: 'User' }));
}

async function findGroup(ctx: TenantContext, id: string): Promise<Row> {
  const row = isId(id)
    ? await ownRows(ctx, 'scim_group', { group_id: id }).selectAll().executeTakeFirst()
    : undefined;
  if (!row) throw notFound('group');
  return row;
}

export async function readGroup(ctx: TenantContext, request: FastifyRequest, id: string): Promise<Resource> {
  const row = await findGroup(ctx, id);
  const members = wantsMembers(request) ? await shownMembers(ctx, row) : null;
  return selected(request, toResource(ctx, row, members));
}

type Filter = ReturnType<typeof parseFilter>;

function groupCondition(filter: Filter, add: (value: unknown) => string): string {
  if ('filters' in filter)
    return `(${filter.filters.map((one) => groupCondition(one, add)).join(` ${filter.op} `)})`;
  const inner = filter.op === '[]' ? filter.valFilter : filter;
  const path = filter.op === '[]' ? filter.attrPath : 'attrPath' in filter ? filter.attrPath : '';
  if (!('compValue' in inner) || inner.op !== 'eq')
    return refuse(
      'invalidFilter',
      'Groups can be filtered with eq only, by displayName, externalId, id or members.',
    );
  const value = String(inner.compValue);
  switch (path.toLowerCase().replace(`${schemaIds.group}:`.toLowerCase(), '')) {
    case 'displayname':
      return `named.folded_name = ${add(foldCase(value))}`;
    case 'externalid':
      return `named.external_id = ${add(value)}`;
    case 'id':
      return isId(value) ? `named.group_id = ${add(value)}` : 'false';
    case 'members':
    case 'members.value':
      if (!isId(value)) return 'false';
      return `exists (select from "user" held where held.tenant_id = $1 and held.user_id = ${add(value)}
        and (held.group_name = named.display_name or named.display_name = any(held.other_groups)))`;
    default:
      return refuse(
        'invalidFilter',
        `Groups cannot be filtered by ${path}. Use displayName, externalId, id or members.`,
      );
  }
}

export async function listGroups(ctx: TenantContext, request: FastifyRequest): Promise<Resource> {
  const { startIndex, count } = pageOf(request);
  const { filter } = request.query as Record<string, unknown>;
  const parameters = parametersAfter(ctx.tenantId);
  const condition =
    filter === undefined || filter === ''
      ? ''
      : ` and ${groupCondition(parseFilter(String(filter)), parameters.add)}`;
  const values = [...parameters.values];
  const from = `from scim_group named where named.tenant_id = $1${condition}`;
  const page = `select named.* ${from} order by named.group_id limit ${count} offset ${startIndex - 1}`;
  const rows = count === 0 ? [] : await run<Row>(ctx, page, values);
  // Lists leave members out: a page of groups may have any number of them.
  const resources = rows.map((row) => selected(request, toResource(ctx, row, null)));
  const total = async () => {
    const text = `select count(*)::integer as count ${from}`;
    const [counted] = await run<{ count: number }>(ctx, text, values);
    return counted?.count ?? 0;
  };
  return listOf(resources, { startIndex, count, total });
}

function nameOf(resource: Resource): string {
  const name = typeof resource.displayName === 'string' ? cleanText(resource.displayName).trim() : '';
  return name !== '' && name.length <= 255
    ? name
    : refuse('invalidValue', 'displayName is missing or too long. Send a text of up to 255 characters.');
}

const lockMembers = `
select account.* from "user" account where account.tenant_id = $1 and account.user_id = any($2::uuid[])
order by account.login_id for update`;

/** Adds groups to users and takes them away. Groups are in the order of their names, so the first is the GroupName. */
async function regroup(
  ctx: TenantContext,
  userIds: readonly string[],
  { add = [], remove = [] }: { add?: string[]; remove?: string[] },
): Promise<void> {
  for (let at = 0; at < userIds.length; at += batch) {
    const rows = await run<UserRow>(ctx, lockMembers, [ctx.tenantId, userIds.slice(at, at + batch)]);
    const updates = rows.map((row) => {
      const kept = groupsOf(row).filter((name) => !remove.includes(name));
      const Groups = [...new Set([...kept, ...add])].sort();
      return { loginId: row.login_id, change: { Groups }, passwordHash: null, by: asService(ctx) };
    });
    for (const updated of await updateUsers(ctx, updates, rows)) {
      if (updated instanceof Error) throw updated;
      if (updated === undefined)
        throw new ScimError(
          413,
          'These members have too many enrolments to change their group in one request. Send fewer members in each.',
          'tooMany',
        );
    }
  }
}

/** The users named by `members`. Nested groups are not supported: providers send their members instead. */
async function memberIds(ctx: TenantContext, value: Json): Promise<string[]> {
  const list = Array.isArray(value) ? value : value == null ? [] : [value];
  const ids = [...new Set(list.map((one) => String(isRecord(one) ? one.value : one)))];
  const known = await run<{ user_id: string }>(
    ctx,
    'select known.user_id from "user" known where known.tenant_id = $1 and known.user_id = any($2::uuid[])',
    [ctx.tenantId, ids.filter(isId)],
  );
  const found = new Set(known.map(({ user_id }) => user_id));
  const unknown = ids.find((id) => !found.has(id));
  if (unknown !== undefined)
    refuse('invalidValue', `The member ${unknown} is not a user here. Send the id of a user that exists.`);
  return ids;
}

/** Calls `work` for the members, a batch at a time, so that they are never loaded whole. */
async function eachMember(ctx: TenantContext, name: string, work: (members: Member[]) => Promise<void>) {
  for (let after = ''; ; ) {
    const members = await membersAfter(ctx, name, after, batch);
    if (members.length > 0) await work(members);
    after = members.at(-1)?.login_id ?? '';
    if (members.length < batch) return;
  }
}

async function replaceMembers(ctx: TenantContext, name: string, ids: readonly string[]): Promise<void> {
  const wanted = new Set(ids);
  const known = new Set<string>();
  await eachMember(ctx, name, async (members) => {
    for (const { user_id } of members) if (wanted.has(user_id)) known.add(user_id);
    const gone = members.filter(({ user_id }) => !wanted.has(user_id));
    await regroup(
      ctx,
      gone.map(({ user_id }) => user_id),
      { remove: [name] },
    );
  });
  await regroup(
    ctx,
    ids.filter((id) => !known.has(id)),
    { add: [name] },
  );
}

async function rename(ctx: TenantContext, row: Row, name: string): Promise<void> {
  await eachMember(ctx, row.display_name, (members) =>
    regroup(
      ctx,
      members.map(({ user_id }) => user_id),
      { add: [name], remove: [row.display_name] },
    ),
  );
}

async function rejectTaken(ctx: TenantContext, name: string, id: string | null): Promise<void> {
  const taken = await ownRows(ctx, 'scim_group', { folded_name: foldCase(name) })
    .select('group_id')
    .executeTakeFirst();
  if (taken && taken.group_id !== id)
    throw new ScimError(
      409,
      `Another group has the displayName ${name}. Find it by a filter and change it.`,
      'uniqueness',
    );
}

const externalIdOf = ({ externalId }: Resource) =>
  typeof externalId === 'string' ? externalId.slice(0, 255) : null;

/** Call it, and the functions below, in a transaction. */
export async function createGroup(
  ctx: TenantContext,
  request: FastifyRequest,
  body: Json,
): Promise<Resource> {
  if (!isRecord(body)) return refuse('invalidSyntax', 'Send the group as a JSON object.');
  const name = nameOf(body);
  await rejectTaken(ctx, name, null);
  const members = await memberIds(ctx, body.members);
  const now = ctx.now();
  const row = {
    tenant_id: ctx.tenantId,
    group_id: newId(now),
    display_name: name,
    folded_name: foldCase(name),
    external_id: externalIdOf(body),
    created_at: now,
    updated_at: now,
  };
  await ctx.db.insertInto('scim_group').values(row).execute();
  await regroup(ctx, members, { add: [name] });
  return readGroup(ctx, request, row.group_id);
}

async function save(ctx: TenantContext, row: Row, after: Resource): Promise<Row> {
  const name = nameOf(after);
  if (name !== row.display_name) {
    await rejectTaken(ctx, name, row.group_id);
    await rename(ctx, row, name);
  }
  const changed = {
    display_name: name,
    folded_name: foldCase(name),
    external_id: externalIdOf(after),
    updated_at: ctx.now(),
  };
  await updateOwn(ctx, 'scim_group', { group_id: row.group_id }).set(changed).execute();
  return { ...row, ...changed };
}

const isMembers = (path: string | null) => path !== null && /^(urn:[^[\]]*:)?members(\b|\[)/i.test(path);
const memberInPath = /members\[\s*value\s+eq\s+"([^"]+)"\s*\]/i;

type MemberChange = { op: Operation['op']; members: Json[] };

/** Some directories send each member in an operation of its own, so neighbours become one change. */
function memberChanges(operations: readonly Operation[]): MemberChange[] {
  const changes: MemberChange[] = [];
  for (const { op, path, value } of operations.filter(({ path }) => isMembers(path))) {
    const named = memberInPath.exec(path ?? '')?.[1];
    const members = [named ?? value ?? []].flat();
    const last = changes.at(-1);
    // Without values, a removal removes all members.
    const isAll = op === 'replace' || (op === 'remove' && named === undefined && value == null);
    if (isAll) changes.push({ op: 'replace', members });
    else if (last?.op === op) last.members.push(...members);
    else changes.push({ op, members });
  }
  return changes;
}

/** Changes members one operation after the other, without reading the others. */
export async function patchGroup(ctx: TenantContext, id: string, body: Json): Promise<void> {
  const operations = readOperations(body).flatMap((operation) => {
    const { path, value } = operation;
    if (path !== null || !isRecord(value)) return [operation];
    return Object.entries(value).map(([key, part]) => ({ ...operation, path: key, value: part }));
  });
  const others = operations.filter(({ path }) => !isMembers(path));
  const before = await findGroup(ctx, id);
  const { display_name: name } = await save(
    ctx,
    before,
    applyOperations(toResource(ctx, before, null), others),
  );
  for (const { op, members } of memberChanges(operations)) {
    if (op === 'add') await regroup(ctx, await memberIds(ctx, members), { add: [name] });
    else if (op === 'remove') await regroup(ctx, idsIn(members), { remove: [name] });
    else await replaceMembers(ctx, name, await memberIds(ctx, members));
  }
}

/** A member that does not exist any more is removed already. */
const idsIn = (members: Json[]) => members.map((one) => String(isRecord(one) ? one.value : one)).filter(isId);

export async function putGroup(
  ctx: TenantContext,
  request: FastifyRequest,
  id: string,
  body: Json,
): Promise<Resource> {
  if (!isRecord(body)) return refuse('invalidSyntax', 'Send the group as a JSON object.');
  const before = await findGroup(ctx, id);
  const row = await save(ctx, before, { ...toResource(ctx, before, null), ...body });
  if (body.members !== undefined)
    await replaceMembers(ctx, row.display_name, await memberIds(ctx, body.members));
  return readGroup(ctx, request, id);
}

export async function deleteGroup(ctx: TenantContext, id: string): Promise<void> {
  const row = await findGroup(ctx, id);
  await transaction(ctx, async (ctx) => {
    await replaceMembers(ctx, row.display_name, []);
    await deleteOwn(ctx, 'scim_group', { group_id: id }).execute();
  });
}
