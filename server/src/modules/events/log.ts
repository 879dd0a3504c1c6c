import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { Problem } from '../../platform/errors.ts';
import { type LogFilter, narrowed } from './filter.ts';
import { lastEventId, logStart, type Position } from './position.ts';
import type { Event } from './schemas.ts';
import type { EventType } from './types.ts';

export type EventRow = {
  event_id: string | null;
  type: EventType;
  occurred_at: Date;
  login_id: string | null;
  enroll_id: string | null;
  user_id: string | null;
  course_id: string | null;
  data: Record<string, unknown>;
};

type Row = EventRow & {
  horizon_epoch: number;
  horizon: string;
  ahead: boolean;
  epoch: number;
  transaction: string;
};

/**
 * The columns of an event record. The login is joined from the user, so an erasure need not rewrite the log.
 */
export const eventColumns = `told.event_id, told.type, told.occurred_at, told.enroll_id, told.user_id, told.course_id,
  told.data, known.login_id`;

/**
 * Stops before the oldest open transaction: its events get a lower number than events that were committed
 * before it. Transactions of an earlier epoch have all ended.
 */
const readText = ({ from, where }: { from: string; where: string }) => `
with horizon as (
  select setting.value::bigint as epoch, pg_snapshot_xmin(pg_current_snapshot()) as transaction,
    $2::bigint > setting.value::bigint
      or ($2 = setting.value::bigint and $3::xid8 >= pg_snapshot_xmax(pg_current_snapshot())) as ahead
  from setting where setting.name = 'event_epoch'
), page as (
  select ${eventColumns}, told.epoch, told.transaction
  from horizon, ${from}
  where ${where} and (told.epoch, told.transaction, told.event_id) > ($2::bigint, $3::xid8, $4::uuid)
    and (told.epoch < horizon.epoch or told.transaction < horizon.transaction)
  order by told.epoch, told.transaction, told.event_id limit $5
)
select horizon.epoch as horizon_epoch, horizon.transaction::text as horizon, horizon.ahead, page.*
from horizon left join page on true
order by page.epoch, page.transaction, page.event_id`;

export type LoggedEvent = { event: Event; userId: string | null };

/**
 * The events after a position, oldest first. If there are fewer than requested, the new position is the end
 * of what can be read now, so that a filter without matches does not scan the same events again.
 */
export async function readLog(
  ctx: TenantContext,
  input: LogFilter & { after?: Position; limit: number },
): Promise<{ events: LoggedEvent[]; position: Position }> {
  const after = input.after ?? logStart;
  const place = [ctx.tenantId, after.epoch, after.transaction, after.eventId, input.limit];
  const query = narrowed('read_log', place, input);
  const rows = await run<Row>(ctx, { name: query.name, text: readText(query), values: query.values });
  const [first] = rows;
  if (!first) throw new Error('The setting event_epoch is missing.');
  if (first.ahead)
    throw new Problem(
      'validation_failed',
      'Cursor is ahead of the log, because the database was restored from a backup. Start again without it, or compare by EventID.',
      { param: 'Cursor' },
    );
  const found = rows.filter((row) => row.event_id !== null);
  const last = found.at(-1);
  const full = last && found.length === input.limit;
  const position = full
    ? { epoch: last.epoch, transaction: last.transaction, eventId: last.event_id ?? lastEventId }
    : endOf(first, after);
  return { events: found.map((row) => ({ event: toEvent(row), userId: row.user_id })), position };
}

const newestText = ({ from, where }: { from: string; where: string }) => `
select ${eventColumns} from ${from}
where ${where} and told.event_id < $2::uuid order by told.event_id desc limit $3`;

/**
 * The events before an ID, newest first. For display: events committed late may appear behind the pages
 * already shown.
 */
export async function readNewest(
  ctx: TenantContext,
  input: LogFilter & { before: string | null; limit: number },
): Promise<EventRow[]> {
  const place = [ctx.tenantId, input.before ?? lastEventId, input.limit];
  const query = narrowed('read_newest', place, input);
  return run<EventRow>(ctx, { name: query.name, text: newestText(query), values: query.values });
}

/** Just before the oldest open transaction, but not behind the reader's position. */
function endOf(row: Row, after: Position): Position {
  const transaction = BigInt(row.horizon) - 1n;
  const isBehind = row.horizon_epoch === after.epoch && transaction < BigInt(after.transaction);
  if (isBehind) return after;
  return { epoch: row.horizon_epoch, transaction: String(transaction), eventId: lastEventId };
}

export function toEvent(row: EventRow): Event {
  return {
    EventID: row.event_id ?? '',
    Type: row.type,
    OccurredAt: row.occurred_at.toISOString(),
    LoginID: row.login_id,
    EnrollID: row.enroll_id,
    CourseID: row.course_id,
    Data: row.data,
  };
}
