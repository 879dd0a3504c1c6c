import type { Context } from '../../platform/context.ts';
import { parametersAfter } from '../../platform/db/parameters.ts';
import { run } from '../../platform/db/transaction.ts';
import { Problem } from '../../platform/errors.ts';
import { foreignCursor, pageLimit, readCursor, toPage } from '../../platform/http/pagination.ts';
import { isId, lowestId } from '../../platform/ids.ts';
import type { Entry } from './chain.ts';
import type { AuditEntry, AuditQuery } from './schemas.ts';

type Row = Entry & { actor_name: string | null; target_name: string | null };

/**
 * SQL of a page. Each condition to find entries uses its own index, and a page merges their first rows. Names are
 * joined at read time, so those of erased people do not appear.
 */
function pageText(input: {
  tenantId: string | null;
  conditions: string[];
  alternatives: string[];
  order: 'asc' | 'desc';
  limit: string;
}): string {
  const { tenantId, conditions, alternatives, order, limit } = input;
  const scope = tenantId === null ? [] : ['entry.tenant_id = $1'];
  const branch = (condition: string[]) => `(select entry.* from audit_entry entry
    where ${[...scope, ...conditions, ...condition].join(' and ') || 'true'} order by entry.audit_id ${order} limit ${limit})`;
  const branches =
    alternatives.length === 0 ? [branch([])] : alternatives.map((condition) => branch([condition]));
  const own = (column: string) => (tenantId === null ? `${column} = found.tenant_id` : `${column} = $1`);
  const userOf = (kind: string, column: string) => `(case when ${kind} then ${column} end)::uuid`;
  const why = tenantId === null ? '/* across tenants: the operator reads all trails */ ' : '';
  return `${why}with found as (
  select page.* from (${branches.join('\nunion\n')}) page order by page.audit_id ${order} limit ${limit}
)
select found.*, coalesce(doer.login_id, used.name) as actor_name,
  coalesce(subject.login_id, learner.login_id, changed.name) as target_name
from found
left join "user" doer on ${own('doer.tenant_id')} and doer.user_id = found.actor_user_id
left join api_key used on used.key_id = ${userOf("found.actor in ('key', 'operator_key')", 'found.actor_id')}
left join "user" subject on ${own('subject.tenant_id')}
  and subject.user_id = ${userOf("found.target = 'user'", 'found.target_id')}
left join enrolment on ${own('enrolment.tenant_id')}
  and enrolment.enroll_id = ${userOf("found.target = 'enrolment'", 'found.target_id')}
left join "user" learner on ${own('learner.tenant_id')} and learner.user_id = enrolment.user_id
left join api_key changed on changed.key_id = ${userOf("found.target = 'key'", 'found.target_id')}
order by found.audit_id ${order}`;
}

/** Lists the entries of one tenant or, for the operator, of all trails. */
export async function listAudit(ctx: Context & { tenantId?: string }, input: AuditQuery) {
  const tenantId = ctx.tenantId ?? null;
  const limit = pageLimit(input);
  const order = input.Order === 'newest' ? 'desc' : 'asc';
  const { values, add } = tenantId === null ? parametersAfter() : parametersAfter(tenantId);
  const conditions: string[] = [];
  const cursor = readCursor(input);
  if (cursor !== null && !isId(cursor)) throw foreignCursor();
  if (cursor !== null) conditions.push(`entry.audit_id ${order === 'asc' ? '>' : '<'} ${add(cursor)}::uuid`);
  if (input.After !== undefined)
    conditions.push(`entry.audit_id >= ${add(lowestId(new Date(input.After)))}::uuid`);
  if (input.Before !== undefined)
    conditions.push(`entry.audit_id < ${add(lowestId(new Date(input.Before)))}::uuid`);
  if (input.Action !== undefined) conditions.push(`entry.action = ${add(input.Action)}`);
  if (input.ActorID !== undefined) conditions.push(`entry.actor_id = ${add(input.ActorID)}`);
  if (input.TargetID !== undefined) conditions.push(`entry.target_id = ${add(input.TargetID)}`);
  const person = input.LoginID === undefined ? null : await findPerson(ctx, input.LoginID);
  const alternatives =
    person === null
      ? []
      : [
          `entry.actor_user_id = any(${add(person.users)}::uuid[])`,
          `entry.target_id = any(${add([...person.users, ...person.enrolments])}::text[])`,
        ];
  const text = pageText({ tenantId, conditions, alternatives, order, limit: add(limit + 1) });
  const rows = await run<Row>(ctx, { text, values });
  const forTenant = tenantId !== null && !ctx.actor.kind.startsWith('operator');
  return toPage(
    rows,
    limit,
    (row) => row.audit_id,
    (row) => toEntry(row, forTenant),
  );
}

async function findPerson(ctx: Context & { tenantId?: string }, loginId: string) {
  const { tenantId } = ctx;
  if (tenantId === undefined)
    throw new Problem(
      'tenant_required',
      'A LoginID is unique only within its tenant. Name the tenant in the Tenant header.',
      {
        param: 'LoginID',
      },
    );
  const users = await ctx.db
    .selectFrom('user')
    .select('user_id')
    .where('tenant_id', '=', tenantId)
    .where('login_id', '=', loginId)
    .execute();
  const ids = users.map(({ user_id }) => user_id);
  const enrolments = await ctx.db
    .selectFrom('enrolment')
    .select('enroll_id')
    .where('tenant_id', '=', tenantId)
    .where((where) => where('user_id', '=', where.fn.any(where.val(ids))))
    .execute();
  return { users: ids, enrolments: enrolments.map(({ enroll_id }) => enroll_id) };
}

/** Tenants see that the operator acted, but not with which key or from where. */
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
