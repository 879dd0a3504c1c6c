import type { Context, TenantContext } from '../../platform/context.ts';
import { readByIndex } from '../../platform/db/batches.ts';
import { limitLockWaits } from '../../platform/db/lock-waits.ts';
import { run, transaction } from '../../platform/db/transaction.ts';
import { eventType } from '../events/write.ts';
import { storeFlowText } from './completion-days.ts';
import { countInTurns } from './count-in-turns.ts';

/** Maximum number of events per statement. On the embedded database, all other statements wait for it. */
const maxEvents = 100;

/** Maximum number of group changes per statement, and of enrolments that it moves for each change. */
const maxMoves = 10;
const maxMoved = 100;

const created = eventType('enrolment.created');
const reset = eventType('enrolment.reset');
const finished = eventType('enrolment.attempt_finished');

/** Sorts before the ID of every enrolment. */
const firstId = '00000000-0000-0000-0000-000000000000';

/**
 * The next events. The previous statement may already have moved enrolments for the first event, up to $4.
 */
const nextText = `
  select next.*, count(*) filter (where next.is_move) over (order by next.position) as moves,
    case when next.position = min(next.position) over () then $4::uuid else '${firstId}' end as after
  from (
    select entry.position, entry.type, entry.user_id, entry.enroll_id, entry.data,
      (entry.occurred_at at time zone 'UTC')::date as day,
      entry.type = ${eventType('user.updated')} and entry.data -> 'Changed' @> '["GroupName"]' as is_move
    from event entry where entry.tenant_id = $1 and entry.position > $2 order by entry.position limit $3
  ) next`;

/** The enrolments of users whose group changed. */
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
 * What each event reports about an enrolment. The result of an attempt is not necessarily the result that
 * counts.
 */
const reportText = `
  select entry.enroll_id, entry.position, entry.day,
    case when entry.type = ${created} then 'enrolled' else entry.data ->> 'Status' end as status,
    case when entry.type = ${created} then 'unknown'
      when entry.type = ${reset} then coalesce(entry.data ->> 'Success', 'unknown') else entry.data ->> 'Success' end as success
  from entry where entry.enroll_id is not null and entry.type like 'enrolment.%' and entry.type <> ${finished}
  union all
  select move.enroll_id, move.position, move.day, null, null
  from move where move.position <= coalesce((select stop.position from stop), move.position)`;

/** Adds the enrolment and how it was last counted. The enrolments of erased users no longer count. */
const toldText = `
  select report.enroll_id, report.position, report.day, own.course_id, own.group_name,
    case when own.is_erased then 'erased' else report.status end as status,
    case when own.is_erased then 'unknown' else report.success end as success,
    counted.group_name as counted_group, counted.status as counted_status, counted.success as counted_success
  from report
  cross join lateral (
    select enrolment.course_id, coalesce(enrolment.group_name, '') as group_name, enrolment.user_id is null as is_erased
    from enrolment where enrolment.tenant_id = $1 and enrolment.enroll_id = report.enroll_id limit 1
  ) own
  left join lateral (
    select held.group_name, held.status, held.success from counted_enrolment held
    where held.tenant_id = $1 and held.enroll_id = report.enroll_id limit 1
  ) counted on true`;

/** The values that the events report, each with the previous value. */
const stepText = `
  select told.course_id, told.group_name, told.day, part.value, coalesce(
      lag(part.value) over (partition by told.enroll_id, part.kind order by told.position), part.counted
    ) as former
  from told cross join lateral (
    values ('status', told.status, told.counted_status), ('success', told.success, told.counted_success)
  ) part (kind, value, counted)
  where part.value is not null`;

/** What to add to the figures of a course and group: first for the change of group, then for the events. */
const flowText = `
  select first.course_id, place.group_name, first.day, figure.name, place.number
  from (select distinct on (told.enroll_id) told.* from told order by told.enroll_id, told.position) first
  cross join lateral (values (first.counted_group, -1), (first.group_name, 1)) place (group_name, number)
  cross join lateral (values (first.counted_status), (first.counted_success)) figure (name)
  where first.counted_group <> first.group_name
  union all
  select step.course_id, step.group_name, step.day, change.name, change.number
  from step cross join lateral (values (step.former, -1), (step.value, 1)) change (name, number)
  where step.value is distinct from step.former and change.name is not null`;

const last = (column: string) =>
  `(array_agg(told.${column} order by told.position desc) filter (where told.${column} is not null))[1]`;

const keepText = `
  insert into counted_enrolment as held (tenant_id, enroll_id, group_name, status, success)
  select $1, told.enroll_id, told.group_name, coalesce(${last('status')}, told.counted_status, 'enrolled'),
    coalesce(${last('success')}, told.counted_success, 'unknown')
  from told
  group by told.enroll_id, told.group_name, told.counted_group, told.counted_status, told.counted_success
  having told.counted_group is not null or count(told.status) > 0
  on conflict (tenant_id, enroll_id) do update
  set group_name = excluded.group_name, status = excluded.status, success = excluded.success
  where (held.group_name, held.status, held.success) <> (excluded.group_name, excluded.status, excluded.success)`;

const countText = `
with next as (${nextText}), move as (${moveText}), stop as (${stopText}), entry as (${entryText}),
report as (${reportText}), told as (${toldText}), step as (${stepText}), flow as (${flowText}),
kept as (${keepText}), ${storeFlowText},
moved as (
  update completion_log
  set position = coalesce((select max(entry.position) from entry), completion_log.position), enroll_id = (select stop.enroll_id from stop)
  where completion_log.tenant_id = $1
)
select (select count(*)::integer from next) as found, (select count(*)::integer from entry) as counted`;

type Place = { position: number; enroll_id: string | null };

/**
 * Locks the tenant's figures until the transaction ends. Returns how far the tenant's log has been counted;
 * undefined for a tenant without reports.
 */
export function lockFigures(ctx: TenantContext): Promise<Place | undefined> {
  return ctx.db
    .selectFrom('completion_log')
    .select(['position', 'enroll_id'])
    .where('tenant_id', '=', ctx.tenantId)
    .forUpdate()
    .executeTakeFirst();
}

/** Counts the next events of a tenant. Returns whether there may be more. */
async function countBatch(ctx: TenantContext): Promise<boolean> {
  return transaction(ctx, async (ctx) => {
    await limitLockWaits(ctx);
    // The planner's statistics may predate most of the rows.
    await readByIndex(ctx);
    const place = await lockFigures(ctx);
    if (!place) return false;
    const values = [ctx.tenantId, place.position, maxEvents, place.enroll_id ?? firstId];
    const [row] = await run<{ found: number; counted: number }>(ctx, {
      name: 'count_completion',
      text: countText,
      values,
    });
    return row !== undefined && (row.counted < row.found || row.found === maxEvents);
  });
}

/** How many batches a report counts itself. The job counts the rest. */
const firstBatches = 10;

/**
 * Starts counting the events of a tenant, or continues. This happens with its first report, and with each scheduled
 * one. Returns whether all events have been counted.
 */
export async function startCounting(ctx: TenantContext): Promise<boolean> {
  const insert = ctx.db.insertInto('completion_log').values({ tenant_id: ctx.tenantId, position: 0 });
  await insert.onConflict((conflict) => conflict.column('tenant_id').doNothing()).execute();
  for (let batch = 0; batch < firstBatches; batch++) if (!(await countBatch(ctx))) return true;
  return false;
}

const uncountedText = `/* across tenants: the reports of all tenants */
select log.tenant_id from completion_log counted join event_log log on log.tenant_id = counted.tenant_id
where log.position > counted.position and log.tenant_id <> all($1::text[])`;

/**
 * Job: counts the new events of all tenants that use completion reports. Each event counts once, on the day
 * on which it occurred.
 */
export function countCompletion(ctx: Context): Promise<void> {
  return countInTurns(ctx, { name: 'uncounted_tenants', text: uncountedText, count: countBatch });
}
