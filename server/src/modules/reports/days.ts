import { tenantNow } from '../../platform/clocks.ts';
import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { eventType } from '../events/write.ts';
import type { Day } from './schemas.ts';

type Counts = { day: string; enrolments: number; starts: number; completions: number };
type Row = { watermark: number | null; stored: Counts[]; uncounted: Counts[] };

/** Maximum number of events that a statement counts. */
const maxEvents = 2_000;

/** $2 is the position up to which events have been counted. */
const uncounted = 'entry.tenant_id = $1 and entry.position > $2::bigint';
const isTypeSql = (type: Parameters<typeof eventType>[0]) => `entry.type = ${eventType(type)}`;
const counts = `(entry.occurred_at at time zone 'UTC')::date as day,
    count(*) filter (where ${isTypeSql('enrolment.created')}) as enrolments,
    count(*) filter (where ${isTypeSql('enrolment.launched')} and entry.data ->> 'Launch' = '1') as starts,
    count(*) filter (where ${isTypeSql('enrolment.completed')}) as completions`;

/**
 * Counts the next events. If several readers count concurrently, only the first one moves the position and
 * saves its counts.
 */
const settleText = `
with entry as (
  select entry.* from event entry where ${uncounted} order by entry.position limit ${maxEvents}
), moved as (
  insert into counted_log (tenant_id, position)
  select $1, max(entry.position) from entry having count(*) > 0
  on conflict (tenant_id) do update set position = excluded.position where counted_log.position = $2
  returning position
), stored as (
  insert into day_count (tenant_id, day, enrolments, starts, completions)
  select $1, counted.day, counted.enrolments, counted.starts, counted.completions
  from moved, (select ${counts} from entry group by 1) counted
  on conflict (tenant_id, day) do update set enrolments = day_count.enrolments + excluded.enrolments,
    starts = day_count.starts + excluded.starts, completions = day_count.completions + excluded.completions
)
select (select count(*)::integer from entry) as counted, (select position from moved) as watermark`;

async function readWatermark(ctx: TenantContext): Promise<number> {
  const kept = await ctx.db
    .selectFrom('counted_log')
    .select('position')
    .where('tenant_id', '=', ctx.tenantId)
    .executeTakeFirst();
  return kept?.position ?? 0;
}

/**
 * Counts a batch of events. Returns the position up to which events have been counted, or null if there are
 * more events.
 */
async function settle(ctx: TenantContext): Promise<number | null> {
  const watermark = await readWatermark(ctx);
  const [row] = await run<{ counted: number; watermark: number | null }>(ctx, {
    text: settleText,
    values: [ctx.tenantId, watermark],
  });
  if (!row || row.counted === 0) return watermark;
  // If no position was returned, another reader has moved it.
  return row.counted < maxEvents ? row.watermark : null;
}

/** Reads the counts and the later part of the log from one snapshot. */
const readText = `
select
  (select place.position from counted_log place where place.tenant_id = $1) as watermark,
  (select coalesce(jsonb_agg(kept), '[]') from day_count kept
    where kept.tenant_id = $1 and kept.day >= $3::date) as stored,
  (select coalesce(jsonb_agg(counted), '[]') from (select ${counts} from event entry where ${uncounted} group by 1) counted)
    as uncounted`;

/** Returns null if another reader moved the position in the meantime. */
async function readCounts(ctx: TenantContext, from: string): Promise<Counts[] | null> {
  const watermark = await settle(ctx);
  if (watermark === null) return null;
  const [row] = await run<Row>(ctx, { text: readText, values: [ctx.tenantId, watermark, from] });
  if (!row) throw new Error('A statement without FROM returns one row.');
  return (row.watermark ?? 0) === watermark ? [...row.stored, ...row.uncounted] : null;
}

const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/**
 * Returns the counts for each of the last days, including today. Each event is counted exactly
 * once, in the order of the log, so events that are committed late still count for their day.
 * Returns null if there are more events to count.
 */
export async function countDays(ctx: TenantContext, input: { days: number }): Promise<Day[] | null> {
  const now = tenantNow(ctx).getTime();
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
