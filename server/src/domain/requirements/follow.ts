import { limitLockWaits, run, transaction } from '../../db/transaction.ts';
import {
  type Context,
  secondsAhead,
  type TenantContext,
  tenantNow,
  tenantNowOfSql,
} from '../../infra/context/context.ts';
import { isServed, serveInTurns } from '../../infra/operations/jobs.ts';
import { issueDue } from '../certificates/issue.ts';
import type { EventType } from '../events/types.ts';
import { applyToUsers } from './apply.ts';
import { appliesTo } from './facts.ts';

/** Users per transaction. On the embedded database, other statements wait for it. */
const batch = 100;
/** The same on a server, where only those of the same tenant wait, at the end of it. */
const batchOfServer = 400;
/** Events read per transaction. */
const maxEvents = 400;

/** The events after which a user's obligations may differ. */
const followed: readonly EventType[] = [
  'user.created',
  'user.updated',
  'user.disabled',
  'enrolment.updated',
  'enrolment.completed',
  'enrolment.passed',
  'enrolment.failed',
  'enrolment.reset',
  'enrolment.expired',
  'enrolment.withdrawn',
  'completion.recorded',
  'completion.deleted',
  'certificate.issued',
];

/**
 * Runs `work` unless another node is evaluating this tenant. `position` is how far the event log has been followed.
 * Without requirements, there is nothing to do.
 */
function alone<T>(
  ctx: TenantContext,
  work: (ctx: TenantContext, position: number) => Promise<T>,
): Promise<T | null> {
  return transaction(ctx, async (ctx) => {
    await limitLockWaits(ctx);
    const log = await ctx.db
      .selectFrom('requirement_log')
      .select('position')
      .where('tenant_id', '=', ctx.tenantId)
      .forUpdate()
      .skipLocked()
      .executeTakeFirst();
    return log ? await work(ctx, Number(log.position)) : null;
  });
}

/** The tenant's log is followed from its first requirement on. */
export async function beginToFollow(ctx: TenantContext): Promise<void> {
  const text = `insert into requirement_log (tenant_id, position)
    select $1, coalesce((select log.position from event_log log where log.tenant_id = $1), 0) on conflict do nothing`;
  await run(ctx, { name: 'follow_events', text, values: [ctx.tenantId] });
}

const eventsText = `
select max(next.position) as position, count(*)::integer as found,
  coalesce(array_agg(distinct next.user_id) filter (where next.user_id is not null and next.type = any($4)), '{}') as users
from (
  select entry.position, entry.type, entry.user_id from event entry
  where entry.tenant_id = $1 and entry.position > $2 order by entry.position limit $3
) next`;

/** Evaluates the users of the next events. Returns whether there may be more; null if another node does it. */
async function followNext(ctx: TenantContext): Promise<boolean | null> {
  // A result may count until its certificate ends.
  await issueDue(ctx);
  return alone(ctx, async (ctx, position) => {
    const [next] = await run<{ position: number | null; found: number; users: string[] }>(ctx, {
      name: 'followed_events',
      text: eventsText,
      values: [ctx.tenantId, position, maxEvents, followed],
    });
    if (!next?.position) return false;
    await ctx.db
      .updateTable('requirement_log')
      .set({ position: next.position })
      .where('tenant_id', '=', ctx.tenantId)
      .execute();
    await applyToUsers(ctx, [{ users: next.users, requirements: null }]);
    return next.found === maxEvents;
  });
}

/** Takes the next steps that time brings. Returns whether there may be more. */
const passNext = (ctx: TenantContext) =>
  alone(ctx, async (ctx) => {
    const due = await ctx.db
      .selectFrom('obligation')
      .select(['user_id', 'requirement_id'])
      .where('tenant_id', '=', ctx.tenantId)
      .where('next_change_at', '<=', tenantNow(ctx))
      .orderBy('next_change_at')
      .limit(batch)
      .execute();
    const parts = [...Map.groupBy(due, ({ requirement_id }) => requirement_id)].map(
      ([requirementId, rows]) => ({
        users: [...new Set(rows.flatMap(({ user_id }) => user_id ?? []))],
        requirements: [requirementId],
      }),
    );
    await applyToUsers(ctx, parts);
    return due.length === batch;
  });

const concernedText = `
select own.user_id from requirement rule
join "user" own on own.tenant_id = $1
where rule.tenant_id = $1 and rule.requirement_id = $2 and own.user_id > $3::uuid
  and (${appliesTo('own', 'rule')} or exists (
    select from obligation held where held.tenant_id = $1 and held.user_id = own.user_id
      and held.requirement_id = rule.requirement_id and held.closed_at is null
  ))
order by own.user_id limit $4`;

/** The next users whom a requirement concerns, or concerned until now, in the order of their IDs. */
export async function concernedUsers(
  ctx: TenantContext,
  { requirementId, after, max }: { requirementId: string; after: string; max: number },
): Promise<string[]> {
  const values = [ctx.tenantId, requirementId, after, max];
  const rows = await run<{ user_id: string }>(ctx, { name: 'concerned_users', text: concernedText, values });
  return rows.map(({ user_id }) => user_id);
}

const passedText = `update requirement set pending_after = $3::uuid where tenant_id = $1 and requirement_id = $2`;

/** Applies a changed requirement to the next users. Returns whether there may be more. */
const applyNext = (ctx: TenantContext) =>
  alone(ctx, async (ctx) => {
    const pending = await ctx.db
      .selectFrom('requirement')
      .select(['requirement_id', 'pending_after'])
      .where('tenant_id', '=', ctx.tenantId)
      .where('pending_after', 'is not', null)
      .orderBy('updated_at')
      .executeTakeFirst();
    if (!pending?.pending_after) return false;
    const { requirement_id, pending_after } = pending;
    const max = ctx.engine.kind === 'postgres' ? batchOfServer : batch;
    const users = await concernedUsers(ctx, {
      requirementId: requirement_id,
      after: pending_after,
      max,
    });
    const last = users.length < max ? null : (users.at(-1) ?? null);
    await run(ctx, { name: 'pass_users', text: passedText, values: [ctx.tenantId, requirement_id, last] });
    await applyToUsers(ctx, [{ users, requirements: [requirement_id] }]);
    return true;
  });

/**
 * SQL: whether there is something to do for the tenant of `log`. The first change comes from the index, while a prepared
 * `exists` with a range scans the whole table.
 */
const hasWork = (tenant: string, now: string) => `(
  exists (select from event_log known where known.tenant_id = ${tenant} and known.position > log.position)
  or exists (select from requirement rule where rule.tenant_id = ${tenant} and rule.pending_after is not null)
  or (select min(held.next_change_at) from obligation held where held.tenant_id = ${tenant}) <= ${now}
)`;

const ownWorkText = `
select from requirement_log log where log.tenant_id = $1 and ${hasWork('$1', '$2::timestamptz')}`;

/** How many batches of each kind a request does itself. The job does the rest. */
const batchesOfRequest = 10;

/** Whether nothing has changed since the last evaluation, and no status changes now. */
export async function isUpToDate(ctx: TenantContext): Promise<boolean> {
  const values = [ctx.tenantId, tenantNow(ctx)];
  return (await run(ctx, { name: 'obligations_to_evaluate', text: ownWorkText, values })).length === 0;
}

/** Brings the tenant's obligations up to date, at least for small changes, so that callers see what they have just caused. */
export async function catchUp(ctx: TenantContext): Promise<void> {
  if (await isUpToDate(ctx)) return;
  for (const step of [applyNext, followNext, passNext])
    for (let n = 0; n < batchesOfRequest && (await step(ctx)) === true; n++);
}

/** The test clock: a year has several steps for each obligation. */
export async function passTime(ctx: TenantContext): Promise<void> {
  for (let n = 0; n < batchesOfRequest; n++) await catchUp(ctx);
}

const workText = `/* across tenants: obligations of all tenants */
select log.tenant_id from requirement_log log
join tenant client on client.tenant_id = log.tenant_id and client.status = 'active'
where log.tenant_id <> all($1::text[]) and ${isServed('log.tenant_id', '$2')}
  and ${hasWork('log.tenant_id', tenantNowOfSql('$3', '$4', 'log.tenant_id'))}`;

/** Job: keeps the obligations of all tenants up to date. */
export const followRequirements = (ctx: Context): Promise<void> =>
  serveInTurns(ctx, {
    name: 'tenants_to_evaluate',
    text: workText,
    values: () => [ctx.now(), secondsAhead(ctx)],
    work: async (ctx) => {
      const done: (boolean | null)[] = [];
      for (const step of [applyNext, followNext, passNext]) done.push(await step(ctx));
      return !done.includes(null);
    },
  });
