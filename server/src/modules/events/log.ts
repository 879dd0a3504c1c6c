import type { TenantContext } from '../../platform/context.ts';
import { type Visit, visitRows } from '../../platform/db/visits.ts';
import { Problem } from '../../platform/errors.ts';
import { filterSql, type LogFilter, narrowAccessPaths } from './filter.ts';
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
 * The columns of an event record. The LoginID is joined from the user, so an erasure does not have to rewrite the log.
 */
export const eventColumns = `event.event_id, event.type, event.occurred_at, event.enroll_id, event.user_id, event.course_id,
  event.data, known.login_id`;

const rows = 'event held where held.tenant_id = $1';
const withLogin = (page: string) => `select held.*, known.login_id from (${page}) held
  left join "user" known on known.tenant_id = $1 and known.user_id = held.user_id`;

/**
 * Stops before the oldest open transaction, whose events get a lower number than events that were committed before it.
 * Transactions of an earlier epoch have all ended. $2 and $3 are the reader's position.
 */
const withHorizon = (page: string) => `
with horizon as (
  select setting.value::bigint as epoch, pg_snapshot_xmin(pg_current_snapshot()) as transaction,
    $2::bigint > setting.value::bigint
      or ($2 = setting.value::bigint and $3::xid8 >= pg_snapshot_xmax(pg_current_snapshot())) as ahead
  from setting where setting.name = 'event_epoch'
)
select horizon.epoch as horizon_epoch, horizon.transaction::text as horizon, horizon.ahead, held.*
from horizon left join (${withLogin(page)}) held on true`;
const settled = `(held.epoch < (select horizon.epoch from horizon)
  or held.transaction < (select horizon.transaction from horizon))`;

export type LoggedEvent = { event: Event; userId: string | null };

/** `isPart`: there may be more events after the position. */
export type LogPage = { events: LoggedEvent[]; position: Position; isPart: boolean };

/**
 * The events after a position, oldest first. If there are fewer than requested, the new position is where the scan
 * ended, even if no event matched there. The same events are not scanned again.
 */
export async function readLog(
  ctx: TenantContext,
  input: LogFilter & { after?: Position; limit: number },
): Promise<LogPage> {
  const after = input.after ?? logStart;
  const {
    rows: found,
    end,
    read,
  } = await visitRows<Row>(ctx, {
    rows,
    values: [ctx.tenantId, after.epoch, after.transaction],
    key: ['epoch', 'transaction', 'event_id'],
    after: [after.epoch, after.transaction, after.eventId],
    accessPaths: [...narrowAccessPaths(input, 'held.event_id'), () => ({ ranges: [settled] })],
    filter: (parameters) => `${settled} and ${filterSql(input, parameters)}`,
    show: withHorizon,
    wanted: input.limit - 1,
  });
  const [first] = read;
  if (!first) throw new Error('The setting event_epoch is missing.');
  if (first.ahead)
    throw new Problem(
      'validation_failed',
      'Cursor is ahead of the log, because the database was restored from a backup. Start again without it, or compare by EventID.',
      { param: 'Cursor' },
    );
  const last = end ?? (found.length === input.limit ? found.at(-1) : undefined);
  return {
    events: found.map((row) => ({ event: toEvent(row), userId: row.user_id })),
    position: last ? positionOf(last) : endOf(first, after),
    isPart: end !== null,
  };
}

/**
 * The events before an ID, newest first. For display only: events committed late may appear on pages that were already
 * shown.
 */
export function readNewest(
  ctx: TenantContext,
  input: LogFilter & { before: string | null; limit: number },
): Promise<Visit<EventRow>> {
  return visitRows<EventRow>(ctx, {
    rows,
    values: [ctx.tenantId],
    key: ['event_id'],
    after: input.before === null ? null : [input.before],
    newest: true,
    accessPaths: [...narrowAccessPaths(input), () => ({ ranges: ['true'] })],
    filter: (parameters) => filterSql(input, parameters),
    show: withLogin,
    wanted: input.limit,
  });
}

const positionOf = ({ epoch, transaction, event_id }: Row): Position => ({
  epoch,
  transaction,
  eventId: event_id ?? lastEventId,
});

/** Just before the oldest open transaction, but not before the reader's position. */
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
