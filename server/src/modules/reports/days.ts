import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { logStart, type Position } from '../events/position.ts';
import { eventType } from '../events/write.ts';
import type { Day } from './schemas.ts';

type Counts = { day: string; enrolments: number; starts: number; completions: number };
type Row = { watermark: Position | null; stored: Counts[]; uncounted: Counts[] };

/** Events per statement. */
const maxEvents = 2_000;

const position = `jsonb_build_object('epoch', place.epoch, 'transaction', place.transaction::text, 'eventId', place.event_id)`;

/** $2 to $4 are the position up to which events have been counted. */
const uncounted =
  'entry.tenant_id = $1 and (entry.epoch, entry.transaction, entry.event_id) > ($2::bigint, $3::xid8, $4::uuid)';
const isTypeSql = (type: Parameters<typeof eventType>[0]) => `entry.type = ${eventType(type)}`;
const counts = `(entry.occurred_at at time zone 'UTC')::date as day,
    count(*) filter (where ${isTypeSql('enrolment.created')}) as enrolments,
    count(*) filter (where ${isTypeSql('enrolment.launched')} and entry.data ->> 'Launch' = '1') as starts,
    count(*) filter (where ${isTypeSql('enrolment.completed')}) as completions`;

/**
 * Counts the next settled events: those visible to readers of the log, before which nothing more can be committed. If
 * several readers do so concurrently, the first moves the position, and the others change nothing.
 */
const settleText = `
with horizon as (
  select setting.value::bigint as epoch, pg_snapshot_xmin(pg_current_snapshot()) as transaction
  from setting where setting.name = 'event_epoch'
), entry as (
  select entry.* from event entry where ${uncounted} and (entry.epoch < (select horizon.epoch from horizon)
    or entry.transaction < (select horizon.transaction from horizon))
  order by entry.epoch, entry.transaction, entry.event_id limit ${maxEvents}
), moved as (
  insert into counted_log (tenant_id, epoch, transaction, event_id)
  select $1, entry.epoch, entry.transaction, entry.event_id from entry
  order by entry.epoch desc, entry.transaction desc, entry.event_id desc limit 1
  on conflict (tenant_id) do update
  set epoch = excluded.epoch, transaction = excluded.transaction, event_id = excluded.event_id
  where (counted_log.epoch, counted_log.transaction, counted_log.event_id) = ($2::bigint, $3::xid8, $4::uuid)
  returning epoch, transaction, event_id
), stored as (
  insert into day_count (tenant_id, day, enrolments, starts, completions)
  select $1, counted.day, counted.enrolments, counted.starts, counted.completions
  from moved, (select ${counts} from entry group by 1) counted
  on conflict (tenant_id, day) do update set enrolments = day_count.enrolments + excluded.enrolments,
    starts = day_count.starts + excluded.starts, completions = day_count.completions + excluded.completions
)
select (select count(*)::integer from entry) as counted, (select ${position} from moved place) as watermark`;

const watermarkText = `select ${position} as watermark from counted_log place where place.tenant_id = $1`;

async function readWatermark(ctx: TenantContext): Promise<Position> {
  const values = [ctx.tenantId];
  const [kept] = await run<{ watermark: Position }>(ctx, {
    name: 'read_counted_log',
    text: watermarkText,
    values,
  });
  return kept?.watermark ?? logStart;
}

const valuesOf = (ctx: TenantContext, watermark: Position) => [
  ctx.tenantId,
  watermark.epoch,
  watermark.transaction,
  watermark.eventId,
];

/** Counts a batch of settled events. Returns how far they have been counted; null if there are more. */
async function settle(ctx: TenantContext): Promise<Position | null> {
  const watermark = await readWatermark(ctx);
  const [row] = await run<{ counted: number; watermark: Position | null }>(ctx, {
    text: settleText,
    values: valuesOf(ctx, watermark),
  });
  if (!row || row.counted === 0) return watermark;
  // If no position was returned, another reader has moved it.
  return row.counted < maxEvents ? row.watermark : null;
}

/** Reads the counts and the later part of the log from one snapshot. */
const readText = `
select
  (select ${position} from counted_log place where place.tenant_id = $1) as watermark,
  (select coalesce(jsonb_agg(kept), '[]') from day_count kept
    where kept.tenant_id = $1 and kept.day >= $5::date) as stored,
  (select coalesce(jsonb_agg(counted), '[]') from (select ${counts} from event entry where ${uncounted} group by 1) counted)
    as uncounted`;

const isSame = (one: Position, other: Position) =>
  one.epoch === other.epoch && one.transaction === other.transaction && one.eventId === other.eventId;

/** Null if another reader moved the position in the meantime. */
async function readCounts(ctx: TenantContext, from: string): Promise<Counts[] | null> {
  const watermark = await settle(ctx);
  if (watermark === null) return null;
  const [row] = await run<Row>(ctx, { text: readText, values: [...valuesOf(ctx, watermark), from] });
  if (!row) throw new Error('A statement without FROM returns one row.');
  return isSame(row.watermark ?? logStart, watermark) ? [...row.stored, ...row.uncounted] : null;
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/**
 * Counts for each of the last days, including today. Each event is counted exactly once, in log order, so events
 * committed late are also counted on their day. Null if a batch was counted and there is more to count.
 */
export async function countDays(ctx: TenantContext, input: { days: number }): Promise<Day[] | null> {
  const now = ctx.now().getTime();
  const days = Array.from({ length: input.days }, (_, n) => dayOf(now - (input.days - 1 - n) * 86_400_000));
  const counts = await readCounts(ctx, days[0] ?? dayOf(now));
  if (counts === null) return null;
  return days.map((Day) => {
    const counted = counts.filter(({ day }) => day === Day);
    const sum = (what: 'enrolments' | 'starts' | 'completions') =>
      counted.reduce((total, counts) => total + counts[what], 0);
    return { Day, Enrolments: sum('enrolments'), Starts: sum('starts'), Completions: sum('completions') };
  });
}
