import { readByIndex } from '../../db/batches.ts';
import { limitLockWaits, run, transaction } from '../../db/transaction.ts';
import { type Context, type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { isServed, serveInTurns } from '../../infra/operations/jobs.ts';
import { Problem } from '../../lib/errors.ts';
import { eventType } from '../events/write.ts';
import { groupsSql } from '../users/groups.ts';

/** Maximum number of group changes per statement, and of enrolments that it moves for each change. */
const maxMoves = 10;
const maxMoved = 100;

/** Sorts before the ID of every enrolment. */
const firstId = '00000000-0000-0000-0000-000000000000';

/**
 * The next $3 events after the position $2. The previous statement may already have moved enrolments for the first
 * event, up to $4.
 */
const nextText = `
  select next.*, count(*) filter (where next.is_move) over (order by next.position) as moves,
    case when next.position = min(next.position) over () then $4::uuid else '${firstId}' end as after
  from (
    select entry.position, entry.type, entry.user_id, entry.enroll_id, entry.data,
      (entry.occurred_at at time zone 'UTC')::date as day,
      entry.type = ${eventType('user.updated')} and entry.data -> 'Changed' ?| '{GroupName,Groups}' as is_move
    from event entry where entry.tenant_id = $1 and entry.position > $2 order by entry.position limit $3
  ) next`;

/**
 * SQL: the groups of the user of `enrolment`, or one without a name. A figure counts once in each of them, and once in
 * lines without a group.
 */
export const groupNamesSql = `coalesce((
      select ${groupsSql('member')} from "user" member
      where member.tenant_id = $1 and member.user_id = enrolment.user_id and member.group_name is not null limit 1
    ), '{""}')`;

/** SQL: a kind of line, and the columns of its key, for `flow` with one group or without groups. */
const kinds = {
  without: `case grouping(flow.course_id) when 0 then 'course' else 'total' end as kind,
    coalesce(flow.course_id, '') as course_id, '' as group_name`,
  within: `case grouping(flow.course_id) when 0 then 'course_and_group' else 'group' end,
    coalesce(flow.course_id, ''), place.group_name`,
};

/** SQL that adds up `flow`, with `group_names`, for each kind of line: per course, per group, per both, and in total. */
export const perLineText = (figures: string, having = '') => `
  select ${kinds.without}, flow.day, ${figures} from flow
  group by grouping sets ((flow.day), (flow.day, flow.course_id)) ${having}
  union all
  select ${kinds.within}, flow.day, ${figures}
  from flow cross join lateral unnest(flow.group_names) place (group_name)
  group by grouping sets ((flow.day, place.group_name), (flow.day, place.group_name, flow.course_id)) ${having}`;

/** The enrolments of users whose groups changed. */
const moveText = `
  select next.position, next.day, own.enroll_id
  from next cross join lateral (
    select enrolment.enroll_id from enrolment
    where enrolment.tenant_id = $1 and enrolment.user_id = next.user_id and enrolment.enroll_id > next.after
    order by enrolment.enroll_id limit ${maxMoved}
  ) own
  where next.is_move and next.moves <= ${maxMoves}`;

/** The first event that may affect further enrolments. Later events have to wait. */
const stopText = `
  select move.position, (array_agg(move.enroll_id order by move.enroll_id desc))[1] as enroll_id
  from move group by move.position having count(*) = ${maxMoved} order by move.position limit 1`;

const entryText = `
  select next.* from next
  where next.moves <= ${maxMoves} and next.position < coalesce((select stop.position from stop), next.position + 1)`;

/**
 * CTEs: the events to count (`entry`), the enrolments of users whose group changed (`move`), and where to stop moving
 * them (`stop`).
 */
const nextEventsText = `next as (${nextText}), move as (${moveText}), stop as (${stopText}), entry as (${entryText})`;

/** SQL: whether a row of `move` belongs to this statement. */
export const isMovedNow = 'move.position <= coalesce((select stop.position from stop), move.position)';

/** Figures that are counted from the event log, from a tenant's first report on. */
export type EventCounter = {
  /** The table with the positions up to which the logs have been counted. */
  log: 'completion_log' | 'access_log';
  /** CTEs that count the events in `entry` and the enrolments in `move`. */
  text: string;
};

/** Maximum number of events per statement. On the embedded database, all other statements wait for it. */
const maxEvents = 100;

const countText = ({ log, text }: EventCounter) => `
with ${nextEventsText}, ${text},
moved as (
  update ${log} set position = coalesce((select max(entry.position) from entry), ${log}.position), enroll_id = (select stop.enroll_id from stop)
  where ${log}.tenant_id = $1
)
select (select count(*)::integer from next) as found, (select count(*)::integer from entry) as counted`;

type Place = { position: number; enroll_id: string | null };

/**
 * Locks the tenant's figures until the transaction ends. Returns how far the tenant's log has been counted;
 * undefined for a tenant without reports.
 */
export function lockFigures(ctx: TenantContext, log: EventCounter['log']): Promise<Place | undefined> {
  return ctx.db
    .selectFrom(log)
    .select(['position', 'enroll_id'])
    .where('tenant_id', '=', ctx.tenantId)
    .forUpdate()
    .executeTakeFirst();
}

/** Counts the next events of a tenant. Returns whether there may be more. */
async function countBatch(ctx: TenantContext, counter: EventCounter): Promise<boolean> {
  return transaction(ctx, async (ctx) => {
    await limitLockWaits(ctx);
    // The planner's statistics may predate most of the rows.
    await readByIndex(ctx);
    const place = await lockFigures(ctx, counter.log);
    if (!place) return false;
    const values = [ctx.tenantId, place.position, maxEvents, place.enroll_id ?? firstId];
    const [row] = await run<{ found: number; counted: number }>(ctx, countText(counter), values);
    return row !== undefined && (row.counted < row.found || row.found === maxEvents);
  });
}

/** How many batches a report counts itself. The job counts the rest. */
const firstBatches = 10;

/**
 * Starts counting the events of a tenant, or continues. This happens with its first report, and with each scheduled
 * one. Returns whether all events have been counted.
 */
export async function startCounting(ctx: TenantContext, counter: EventCounter): Promise<boolean> {
  const insert = ctx.db.insertInto(counter.log).values({ tenant_id: ctx.tenantId, position: 0 });
  await insert.onConflict((conflict) => conflict.column('tenant_id').doNothing()).execute();
  for (let batch = 0; batch < firstBatches; batch++) if (!(await countBatch(ctx, counter))) return true;
  return false;
}

const uncountedTenantsText = (log: string) => `/* across tenants: the reports of all tenants */
select log.tenant_id from ${log} counted join event_log log on log.tenant_id = counted.tenant_id
where log.position > counted.position and log.tenant_id <> all($1::text[]) and ${isServed('log.tenant_id', '$2')}`;

export function countEvents(ctx: Context, counter: EventCounter): Promise<void> {
  const { log } = counter;
  const work = (ctx: TenantContext) => countBatch(ctx, counter);
  return serveInTurns(ctx, { name: `uncounted_${log}`, text: uncountedTenantsText(log), work });
}

/**
 * Figures that are older than this are not shown. The job may need several runs before the first report of a
 * tenant.
 */
const maxBehindMinutes = 10;

const firstUncountedText = (log: string) => `
select event.occurred_at, not exists (select from ${log} where ${log}.tenant_id = $1) as is_first
from event
where event.tenant_id = $1 and event.position > coalesce((
  select ${log}.position from ${log} where ${log}.tenant_id = $1
), 0)
order by event.position limit 1`;

type Uncounted = { occurred_at: Date; is_first: boolean };

async function isComplete(ctx: TenantContext, counter: EventCounter): Promise<boolean> {
  const { log } = counter;
  const [first] = await run<Uncounted>(ctx, firstUncountedText(log), [ctx.tenantId]);
  if (!first || (first.is_first && (await startCounting(ctx, counter)))) return true;
  const isRecent = tenantNow(ctx).getTime() - first.occurred_at.getTime() < maxBehindMinutes * 60_000;
  return isRecent && !first.is_first;
}

/** Rejects reports whose figures are not complete. The first report starts all of its counters. */
export async function rejectIncomplete(ctx: TenantContext, counters: readonly EventCounter[]): Promise<void> {
  let areComplete = true;
  for (const counter of counters) areComplete = (await isComplete(ctx, counter)) && areComplete;
  if (areComplete) return;
  throw new Problem('unavailable', 'The events of this tenant are still being counted. Retry in a minute.', {
    retryAfter: 60,
  });
}
