import { ownRows, updateOwn } from '../../db/own-rows.ts';
import { isInTransaction, joinTransaction, limitLockWaits, run, transaction } from '../../db/transaction.ts';
import { openQueue } from '../../infra/calls/queue.ts';
import {
  type Context,
  secondsAhead,
  type TenantContext,
  tenantNow,
  tenantNowOfSql,
} from '../../infra/context/context.ts';
import { hasten, isServed, serveInTurns } from '../../infra/operations/jobs.ts';
import { issueDue } from '../certificates/issue.ts';
import type { EventType } from '../events/types.ts';
import { applyToUsers } from './apply.ts';
import { appliesTo } from './facts.ts';

/** Users per transaction. On the embedded database, other statements wait for it. */
const batch = 100;
/** The same on a server, as for bulk calls. */
const batchOfServer = 200;
/** Users of a changed requirement that the job passes in one turn. */
const usersPerTurn = 2_400;
/** Events per transaction: those that are followed, and those among which they are looked for. */
const maxEvents = { followed: 400, read: 10_000 };

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
    const log = await ownRows(ctx, 'requirement_log')
      .select('position')
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
  await run(ctx, text, [ctx.tenantId]);
}

const eventsText = `
select case when count(next.position) = $3 then max(next.position) else least($2 + ${maxEvents.read}, log.position) end as position,
  coalesce(array_agg(distinct next.user_id) filter (where next.user_id is not null), '{}') as users, log.position as last
from event_log log left join lateral (
  select entry.position, entry.user_id from event entry
  where entry.tenant_id = $1 and entry.position > $2 and entry.position <= $2 + ${maxEvents.read} and entry.type = any($4)
  order by entry.position limit $3
) next on true
where log.tenant_id = $1 group by log.position`;

/** Evaluates the users of the next events. Returns whether there may be more; null if another node does it. */
async function followNext(ctx: TenantContext): Promise<boolean | null> {
  // A result may count until its certificate ends.
  await issueDue(ctx);
  return alone(ctx, async (ctx, position) => {
    const [next] = await run<{ position: number; users: string[]; last: number }>(ctx, eventsText, [
      ctx.tenantId,
      position,
      maxEvents.followed,
      followed,
    ]);
    if (!next || next.position === position) return false;
    await updateOwn(ctx, 'requirement_log').set({ position: next.position }).execute();
    await applyToUsers(ctx, [{ users: next.users, requirements: null }]);
    return next.position < next.last;
  });
}

/** Takes the next steps that time brings. Returns whether there may be more. */
const passNext = (ctx: TenantContext) =>
  alone(ctx, async (ctx) => {
    const due = await ownRows(ctx, 'obligation')
      .select(['user_id', 'requirement_id'])
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
  const rows = await run<{ user_id: string }>(ctx, concernedText, [ctx.tenantId, requirementId, after, max]);
  return rows.map(({ user_id }) => user_id);
}

const passedText = `update requirement set pending_after = $3::uuid where tenant_id = $1 and requirement_id = $2`;

/** Nothing goes on without the lock after one has failed. */
async function allOf(work: Promise<unknown>[]): Promise<void> {
  const failed = (await Promise.allSettled(work)).find(({ status }) => status === 'rejected');
  if (failed) throw (failed as PromiseRejectedResult).reason;
}

type Passed = { userId: string; requirementId: string };

/** Users of a changed requirement. As for bulk calls, a server works on the next ones while this process reads results. */
const passing = openQueue<TenantContext, Passed, true>({
  name: 'pass_users',
  key: ({ userId }) => userId,
  max: batchOfServer,
  run: async (calls) => {
    const { ctx } = calls[0] as (typeof calls)[0];
    const users = Map.groupBy(calls, ({ row }) => row.requirementId);
    const parts = [...users].map(([requirementId, own]) => ({
      users: own.map(({ row }) => row.userId),
      requirements: [requirementId],
    }));
    await joinTransaction(ctx, (ctx) => applyToUsers(ctx, parts));
    return calls.map(() => true);
  },
});

/**
 * Applies a changed requirement to the next users. Returns whether there may be more. With `others`, they are evaluated
 * in transactions of their own, while this one keeps other nodes away. What a crash leaves is evaluated again.
 */
const applyNext = (ctx: TenantContext, others?: TenantContext) =>
  alone(ctx, async (ctx) => {
    const pending = await ownRows(ctx, 'requirement')
      .select(['requirement_id', 'pending_after'])
      .where('pending_after', 'is not', null)
      .orderBy('updated_at')
      .limit(1)
      // A change of the requirement begins again from the first user, so it waits.
      .forNoKeyUpdate()
      .skipLocked()
      .executeTakeFirst();
    if (!pending?.pending_after) return false;
    const { requirement_id, pending_after } = pending;
    const max = others ? usersPerTurn : batch;
    const users = await concernedUsers(ctx, {
      requirementId: requirement_id,
      after: pending_after,
      max,
    });
    const rows = users.map((userId) => ({ userId, requirementId: requirement_id }));
    if (others) await allOf(rows.map((row) => passing.add(others, row)));
    const last = users.length < max ? null : (users.at(-1) ?? null);
    await run(ctx, passedText, [ctx.tenantId, requirement_id, last]);
    if (!others) await passing.runInside(ctx, rows);
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

/** The name of the job. */
const job = 'requirements.follow';

/** Where users are evaluated apart from the lock: on a server, unless the caller has a transaction. */
const othersOf = (ctx: TenantContext) =>
  ctx.engine.kind === 'pglite' || isInTransaction(ctx) ? undefined : ctx;

/** Whether nothing has changed since the last evaluation, and no status changes now. */
export async function isUpToDate(ctx: TenantContext): Promise<boolean> {
  return (await run(ctx, ownWorkText, [ctx.tenantId, tenantNow(ctx)])).length === 0;
}

/** Brings the tenant's obligations up to date, at least for small changes, so that callers see what they have just caused. */
export async function catchUp(ctx: TenantContext): Promise<void> {
  if (await isUpToDate(ctx)) return;
  const others = othersOf(ctx);
  const steps = [
    { step: () => applyNext(ctx, others), max: others ? 1 : batchesOfRequest },
    { step: () => followNext(ctx), max: batchesOfRequest },
    { step: () => passNext(ctx), max: batchesOfRequest },
  ];
  let isLeft = false;
  for (const { step, max } of steps) {
    let n = 0;
    while (n < max && (await step()) === true) n++;
    isLeft ||= n === max;
  }
  if (isLeft) await hasten(ctx, job);
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
      const done = [await applyNext(ctx, othersOf(ctx)), await followNext(ctx), await passNext(ctx)];
      return !done.includes(null);
    },
  });
