import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { logStart, type Position } from '../events/position.ts';
import { eventType } from '../events/write.ts';
import type { Day } from './schemas.ts';

type Counts = { day: string; enrolments: number; starts: number; completions: number };
type News = Counts & { settled: boolean };
type Row = { mark: Position | null; settled_until: Position | null; stored: Counts[]; news: News[] };

const position = `jsonb_build_object('epoch', place.epoch, 'transaction', place.transaction::text, 'eventId', place.event_id)`;

/** The second condition is redundant, but lets the planner use the index. */
const news = `told.tenant_id = $1 and (told.epoch, told.transaction, told.event_id) > ($2::bigint, $3::xid8, $4::uuid)
  and (told.epoch > $2::bigint or told.transaction >= $3::xid8)`;
const settled = '(told.epoch < horizon.epoch or told.transaction < horizon.transaction)';
const typed = (type: Parameters<typeof eventType>[0]) => `told.type = ${eventType(type)}`;

/**
 * All from one snapshot: what has been counted, and the log since then. Settled means visible to readers of
 * the log: nothing can be committed before it any more.
 */
const readText = `
with horizon as (
  select setting.value::bigint as epoch, pg_snapshot_xmin(pg_current_snapshot()) as transaction
  from setting where setting.name = 'event_epoch'
), counted as (
  select (told.occurred_at at time zone 'UTC')::date as day, ${settled} as settled,
    count(*) filter (where ${typed('enrolment.created')}) as enrolments,
    count(*) filter (where ${typed('enrolment.launched')} and told.data ->> 'Launch' = '1') as starts,
    count(*) filter (where ${typed('enrolment.completed')}) as completions
  from event told, horizon where ${news} group by 1, 2
)
select
  (select ${position} from counted_log place where place.tenant_id = $1) as mark,
  (select ${position} from (
    select told.epoch, told.transaction, told.event_id from event told, horizon where ${news} and ${settled}
    order by told.epoch desc, told.transaction desc, told.event_id desc limit 1
  ) place) as settled_until,
  (select coalesce(jsonb_agg(kept), '[]') from day_count kept
    where kept.tenant_id = $1 and kept.day >= $5::date) as stored,
  (select coalesce(jsonb_agg(counted), '[]') from counted) as news`;

const isSame = (one: Position, other: Position) =>
  one.epoch === other.epoch && one.transaction === other.transaction && one.eventId === other.eventId;

const markText = `select ${position} as mark from counted_log place where place.tenant_id = $1`;

/**
 * Reads again if the mark was moved between the two statements. The second is unnamed, so that it is planned
 * for its mark.
 */
async function readCounts(ctx: TenantContext, from: string): Promise<Row & { mark: Position }> {
  const [kept] = await run<{ mark: Position }>(ctx, {
    name: 'read_counted_log',
    text: markText,
    values: [ctx.tenantId],
  });
  for (let mark = kept?.mark ?? logStart; ; ) {
    const values = [ctx.tenantId, mark.epoch, mark.transaction, mark.eventId, from];
    const [row] = await run<Row>(ctx, { text: readText, values });
    if (!row) throw new Error('A statement without FROM answers one row.');
    const found = row.mark ?? logStart;
    if (isSame(found, mark)) return { ...row, mark };
    mark = found;
  }
}

/** If several read concurrently, the first moves the mark and adds the counts; the others find it moved. */
const storeText = `
with moved as (
  insert into counted_log (tenant_id, epoch, transaction, event_id) values ($1, $5, $6, $7)
  on conflict (tenant_id) do update
  set epoch = excluded.epoch, transaction = excluded.transaction, event_id = excluded.event_id
  where (counted_log.epoch, counted_log.transaction, counted_log.event_id) = ($2::bigint, $3::xid8, $4::uuid)
  returning true
)
insert into day_count (tenant_id, day, enrolments, starts, completions)
select $1, counted.day, counted.enrolments, counted.starts, counted.completions
from moved, jsonb_to_recordset($8::jsonb) as counted (day date, enrolments integer, starts integer, completions integer)
on conflict (tenant_id, day) do update set enrolments = day_count.enrolments + excluded.enrolments,
  starts = day_count.starts + excluded.starts, completions = day_count.completions + excluded.completions`;

async function storeCounts(ctx: TenantContext, from: Position, to: Position, counts: Counts[]) {
  await run(ctx, {
    name: 'store_day_counts',
    text: storeText,
    values: [
      ctx.tenantId,
      ...[from.epoch, from.transaction, from.eventId],
      ...[to.epoch, to.transaction, to.eventId],
      JSON.stringify(counts),
    ],
  });
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/**
 * What happened on each of the last days, including today. Each event is counted exactly once, in log order,
 * so events committed late are counted on their day, too.
 */
export async function countDays(ctx: TenantContext, input: { days: number }): Promise<Day[]> {
  const now = ctx.now().getTime();
  const days = Array.from({ length: input.days }, (_, n) => dayOf(now - (input.days - 1 - n) * 86_400_000));
  const { mark, settled_until, stored, news } = await readCounts(ctx, days[0] ?? dayOf(now));
  if (settled_until !== null)
    await storeCounts(
      ctx,
      mark,
      settled_until,
      news.filter((counts) => counts.settled),
    );
  return days.map((Day) => {
    const counted = [...stored, ...news].filter(({ day }) => day === Day);
    const sum = (what: 'enrolments' | 'starts' | 'completions') =>
      counted.reduce((total, counts) => total + counts[what], 0);
    return { Day, Enrolments: sum('enrolments'), Starts: sum('starts'), Completions: sum('completions') };
  });
}
