import { ownRows } from '../../db/own-rows.ts';
import type { Condition } from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import { foreignCursor, page, readCursor } from '../../http/pagination.ts';
import { recordOf } from '../../http/records.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { isId, lowestId } from '../../lib/ids.ts';
import type { AuditAction } from './actions.ts';
import type { Entry } from './chain.ts';
import { AuditEntry, type AuditQuery } from './schemas.ts';

/** A range makes PostgreSQL use the index of targets, the only index in this order. */
const text = `
select made.target_id, made.actor, doer.login_id
from unnest($3::text[]) own (target_id) cross join lateral (
  select entry.target_id, entry.actor, entry.actor_user_id from audit_entry entry
  where entry.tenant_id = $1 and entry.target_id between own.target_id and own.target_id and entry.action = $2
  order by entry.target_id, entry.audit_id limit 1
) made
left join "user" doer on doer.tenant_id = $1 and doer.user_id = made.actor_user_id`;

type CreatorRow = { target_id: string; actor: string; login_id: string | null };

/** The creator of a record. The LoginID is null if the creator was not a user or has been erased. */
type Creator = { by: 'administrator' | 'operator'; loginId: string | null };

/** The creator of each target, according to the trail. */
export async function readCreators(
  ctx: Context,
  trail: string,
  { action, targetIds }: { action: AuditAction; targetIds: readonly string[] },
): Promise<Map<string, Creator>> {
  if (targetIds.length === 0) return new Map();
  const rows = await run<CreatorRow>(ctx, text, [trail, action, targetIds]);
  return new Map(
    rows.map(({ target_id, actor, login_id }) => [
      target_id,
      { by: actor === 'administrator' ? 'administrator' : 'operator', loginId: login_id },
    ]),
  );
}

/**
 * The ID by which the event log and the audit trail refer to a person; null if no user has this LoginID. The module
 * `users` has the same look-up, but this module must not import it.
 */
export async function findPersonId(ctx: TenantContext, loginId: string): Promise<string | null> {
  const user = await ownRows(ctx, 'user', { login_id: loginId }).select('user_id').executeTakeFirst();
  return user?.user_id ?? null;
}

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

/** Filters that have an index per tenant. */
const fields = { TargetID: 'target_id', ActorID: 'actor_id', Action: 'action' } as const;

/** A period is a range of AuditIDs, which sort by time. */
function conditionsOf({ After, Before, ...filter }: AuditQuery): Condition[] {
  const conditions: Condition[] = [];
  if (After !== undefined)
    conditions.push(({ add }) => `held.audit_id >= ${add(lowestId(new Date(After)))}::uuid`);
  if (Before !== undefined)
    conditions.push(({ add }) => `held.audit_id < ${add(lowestId(new Date(Before)))}::uuid`);
  for (const [name, column] of Object.entries(fields)) {
    const value = filter[name as keyof typeof fields];
    if (value !== undefined) conditions.push(({ add }) => `held.${column} = ${add(value)}`);
  }
  return conditions;
}

/** Entries by a person and entries about them or their enrolments; none for null, if there is no such person. */
const isOfPerson =
  (userId: string | null): Condition =>
  ({ add }) => {
    const user = add(userId);
    return `(held.actor_user_id = ${user}::uuid or held.target_id = any (array(
      select ${user}::uuid::text union all
      select own.enroll_id::text from enrolment own where own.tenant_id = $1 and own.user_id = ${user}::uuid)))`;
  };

/** Lists the entries of one tenant or, for the operator, of all trails. */
export async function listAudit(ctx: Context & { tenantId?: string }, input: AuditQuery) {
  const tenantId = ctx.tenantId ?? null;
  const cursor = readCursor(input);
  if (cursor !== null && !isId(cursor)) throw foreignCursor();
  const person = input.LoginID === undefined ? [] : [isOfPerson(await readPerson(ctx, input.LoginID))];
  const forTenant = tenantId !== null && !ctx.actor.kind.startsWith('operator');
  return page<Row, AuditEntry>(
    ctx,
    input,
    {
      rows: `audit_entry held where ${tenantId === null ? 'true' : 'held.tenant_id = $1'}`,
      values: tenantId === null ? [] : [tenantId],
      where: [...conditionsOf(input), ...person],
      key: ['audit_id'],
      after: cursor === null ? null : [cursor],
      newest: input.Order === 'newest',
      show: (page) => withNames(tenantId, page),
    },
    (row) => row.audit_id,
    (row) => toEntry(row, forTenant),
  );
}

function readPerson(ctx: Context & { tenantId?: string }, loginId: string): Promise<string | null> {
  const { tenantId } = ctx;
  if (tenantId === undefined)
    throw new Problem(
      'tenant_required',
      'A LoginID is unique only within its tenant. Send the TenantID in the Tenant header.',
      { param: 'LoginID' },
    );
  return findPersonId({ ...ctx, tenantId }, loginId);
}

/** Tenants see that the operator acted, but not which key was used or from where. */
function toEntry(row: Row, forTenant: boolean): AuditEntry {
  const isHidden = forTenant && row.actor.startsWith('operator');
  return recordOf(AuditEntry, row, {
    TenantID: row.tenant_id === '' ? null : row.tenant_id,
    Action: row.action as AuditEntry['Action'],
    Actor: row.actor as AuditEntry['Actor'],
    ActorID: isHidden ? null : row.actor_id,
    ActorName: isHidden ? null : row.actor_name,
    Address: isHidden ? null : row.address,
    Target: row.target as AuditEntry['Target'],
    Data: row.data as Record<string, unknown>,
  });
}
