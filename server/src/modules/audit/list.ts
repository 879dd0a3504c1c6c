import type { Context } from '../../platform/context.ts';
import { type AccessPath, maxScanned, scanRows } from '../../platform/db/list-scan.ts';
import type { Parameters } from '../../platform/db/parameters.ts';
import { Problem } from '../../platform/errors.ts';
import { foreignCursor, pageLimit, readCursor, toPage } from '../../platform/http/pagination.ts';
import { isId, lowestId } from '../../platform/ids.ts';
import type { Entry } from './chain.ts';
import { findPersonIds, type PersonIds } from './person-ids.ts';
import type { AuditEntry, AuditQuery } from './schemas.ts';

type Row = Entry & { actor_name: string | null; target_name: string | null };

/** SQL that joins the names when the trail is read, so the names of erased people do not appear. */
function withNames(tenantId: string | null, page: string): string {
  const own = (column: string) => (tenantId === null ? `${column} = held.tenant_id` : `${column} = $1`);
  const userOf = (kind: string, column: string) => `(case when ${kind} then ${column} end)::uuid`;
  return `${acrossTenants(tenantId)}select held.*, coalesce(doer.login_id, used.name) as actor_name,
  coalesce(subject.login_id, learner.login_id, changed.name) as target_name
from (${page}) held
left join "user" doer on ${own('doer.tenant_id')} and doer.user_id = held.actor_user_id
left join api_key used on used.key_id = ${userOf("held.actor in ('key', 'operator_key')", 'held.actor_id')}
left join "user" subject on ${own('subject.tenant_id')}
  and subject.user_id = ${userOf("held.target = 'user'", 'held.target_id')}
left join enrolment enrolled on ${own('enrolled.tenant_id')}
  and enrolled.enroll_id = ${userOf("held.target = 'enrolment'", 'held.target_id')}
left join "user" learner on ${own('learner.tenant_id')} and learner.user_id = enrolled.user_id
left join api_key changed on changed.key_id = ${userOf("held.target = 'key'", 'held.target_id')}`;
}

const acrossTenants = (tenantId: string | null) =>
  tenantId === null ? '/* across tenants: the operator reads all trails */ ' : '';

type Filter = AuditQuery & { person?: PersonIds | null };

/** Selects the entries within a time range by their AuditIDs, which sort by time. */
function timeSql({ After, Before }: Filter, { add }: Parameters): string {
  const conditions = ['true'];
  if (After !== undefined) conditions.push(`held.audit_id >= ${add(lowestId(new Date(After)))}::uuid`);
  if (Before !== undefined) conditions.push(`held.audit_id < ${add(lowestId(new Date(Before)))}::uuid`);
  return conditions.join(' and ');
}

/** Filters that have an index per tenant. */
const fields = { TargetID: 'target_id', ActorID: 'actor_id', Action: 'action' } as const;
const named = Object.entries(fields) as [keyof typeof fields, string][];

function filterSql(filter: Filter, parameters: Parameters): string {
  const { add } = parameters;
  const conditions = [timeSql(filter, parameters)];
  for (const [name, column] of named)
    if (filter[name] !== undefined) conditions.push(`held.${column} = ${add(filter[name])}`);
  if (filter.person) {
    const user = add(filter.person.userId);
    // With EXISTS instead of a scalar subquery, the planner may read all of the person's
    // enrolments.
    conditions.push(`(held.actor_user_id = ${user}::uuid or held.target_id = ${user}::text or ${user}::uuid = (
      select own.user_id from enrolment own where own.tenant_id = $1
        and own.enroll_id = (case when held.target = 'enrolment' then held.target_id end)::uuid))`);
  }
  return conditions.join(' and ');
}

/**
 * Entries by a person and entries about them. An entry that is both appears twice. Comparing IDs as ranges
 * makes PostgreSQL use the index in this order. With equality, PostgreSQL may scan all entries in the order
 * of their AuditIDs.
 */
function ofPerson({ userId, enrolments }: PersonIds, { add }: Parameters): string {
  const user = add(userId);
  const first = (column: string) => `order by entry.${column}, entry.audit_id limit ${maxScanned}`;
  return `(
    (select entry.*, false as again from audit_entry entry
      where entry.tenant_id = $1 and entry.actor_user_id between ${user}::uuid and ${user}::uuid
      ${first('actor_user_id')})
    union all
    select entry.*, entry.actor_user_id is not distinct from ${user}::uuid as again
    from unnest(${add([userId, ...enrolments])}::text[]) as own (target_id) cross join lateral (
      select entry.* from audit_entry entry
      where entry.tenant_id = $1 and entry.target_id between own.target_id and own.target_id ${first('target_id')}
    ) entry
  ) held where true`;
}

function accessPathsOf(filter: Filter, tenantId: string | null): ((parameters: Parameters) => AccessPath)[] {
  const { person } = filter;
  const all = (parameters: Parameters) => ({ ranges: [timeSql(filter, parameters)] });
  if (person === null) return [() => ({ ranges: ['false'] })];
  if (tenantId === null) return [all];
  const given = named.filter(([name]) => filter[name] !== undefined);
  const paths = given.map(([name, column]) => (parameters: Parameters) => ({
    ranges: [timeSql(filter, parameters)],
    fixed: { column: `held.${column}`, value: parameters.add(filter[name]) },
  }));
  if (!person) return paths.length > 0 ? paths : [all];
  const few = (parameters: Parameters) => ({
    rows: ofPerson(person, parameters),
    ranges: ['true'],
    order: '',
    filter: 'not held.again',
  });
  return [...(person.hasMore ? [] : [few]), ...paths, all];
}

/** Lists the entries of one tenant or, for the operator, of all trails. */
export async function listAudit(ctx: Context & { tenantId?: string }, input: AuditQuery) {
  const tenantId = ctx.tenantId ?? null;
  const limit = pageLimit(input);
  const cursor = readCursor(input);
  if (cursor !== null && !isId(cursor)) throw foreignCursor();
  const filter =
    input.LoginID === undefined ? input : { ...input, person: await readPerson(ctx, input.LoginID) };
  const { rows, end } = await scanRows<Row>(ctx, {
    rows: `audit_entry held where ${tenantId === null ? 'true' : 'held.tenant_id = $1'}`,
    values: tenantId === null ? [] : [tenantId],
    key: ['audit_id'],
    after: cursor === null ? null : [cursor],
    newest: input.Order === 'newest',
    accessPaths: accessPathsOf(filter, tenantId),
    filter: (parameters) => filterSql(filter, parameters),
    show: (page) => withNames(tenantId, page),
    wanted: limit,
  });
  const forTenant = tenantId !== null && !ctx.actor.kind.startsWith('operator');
  return toPage(
    rows,
    limit,
    (row) => row.audit_id,
    (row) => toEntry(row, forTenant),
    end,
  );
}

function readPerson(ctx: Context & { tenantId?: string }, loginId: string): Promise<PersonIds | null> {
  const { tenantId } = ctx;
  if (tenantId === undefined)
    throw new Problem(
      'tenant_required',
      'A LoginID is unique only within its tenant. Send the TenantID in the Tenant header.',
      {
        param: 'LoginID',
      },
    );
  return findPersonIds({ ...ctx, tenantId }, loginId);
}

/** Tenants see that the operator acted, but not which key was used or from where. */
function toEntry(row: Row, forTenant: boolean): AuditEntry {
  const isHidden = forTenant && row.actor.startsWith('operator');
  return {
    AuditID: row.audit_id,
    TenantID: row.tenant_id === '' ? null : row.tenant_id,
    Number: row.number,
    At: row.at.toISOString(),
    Action: row.action as AuditEntry['Action'],
    Actor: row.actor as AuditEntry['Actor'],
    ActorID: isHidden ? null : row.actor_id,
    ActorName: isHidden ? null : row.actor_name,
    Address: isHidden ? null : row.address,
    RequestID: row.request_id,
    Target: row.target as AuditEntry['Target'],
    TargetID: row.target_id,
    TargetName: row.target_name,
    Data: row.data as Record<string, unknown>,
    Hash: row.hash,
  };
}
