import type { TenantContext } from '../../platform/context.ts';
import { scanRows, type Visit } from '../../platform/db/list-scan.ts';
import { Problem } from '../../platform/errors.ts';
import { filterSql, type LogFilter, narrowAccessPaths } from './filter.ts';
import { logStart, type Position } from './position.ts';
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
  position: number;
  is_known: boolean;
  end_position: number | null;
  end_event_id: string | null;
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
 * Adds the end of the log, and whether the event $3 is at the reader's position $2. `position > 0` excludes events that
 * have no position yet.
 */
const withEnd = (page: string) => `
select $2::bigint = 0 or $3::uuid is null or exists (
    select from event mark where mark.tenant_id = $1 and mark.position = $2 and mark.event_id = $3
  ) as is_known, log_end.position as end_position, log_end.event_id as end_event_id, held.*
from (values (1)) as one (row)
left join (
  select event.position, event.event_id from event where event.tenant_id = $1 and event.position > 0
  order by event.position desc limit 1
) log_end on true
left join (${withLogin(page)}) held on true`;

export type LoggedEvent = { event: Event; userId: string | null };

/** `hasMore` means that there may be more events after the position. */
export type LogPage = { events: LoggedEvent[]; position: Position; hasMore: boolean };

/**
 * Reads the events after a position, oldest first. If there are fewer events than requested, the new position
 * is the end of the scan, so that events that do not match are not scanned again. A position without an
 * `eventId` does not come from a client and is not checked.
 */
export async function readLog(
  ctx: TenantContext,
  input: LogFilter & { after?: Position | { position: number; eventId: null }; limit: number },
): Promise<LogPage> {
  const after = input.after ?? logStart;
  const {
    rows: found,
    end,
    read,
  } = await scanRows<Row>(ctx, {
    rows,
    values: [ctx.tenantId, after.position, after.eventId],
    key: ['position'],
    after: [after.position],
    accessPaths: [...narrowAccessPaths(input, 'held.event_id'), () => ({ ranges: ['true'] })],
    filter: (parameters) => filterSql(input, parameters),
    show: withEnd,
    wanted: input.limit - 1,
  });
  const [first] = read;
  if (!first) throw new Error('A left join returns at least one row.');
  if (!first.is_known)
    throw new Problem(
      'validation_failed',
      'Cursor is ahead of the log, because the database was restored from a backup. Start again without Cursor, or compare events by EventID.',
      { param: 'Cursor' },
    );
  const last = end ?? (found.length === input.limit ? found.at(-1) : undefined);
  return {
    events: found.map((row) => ({ event: toEvent(row), userId: row.user_id })),
    position: last ? positionOf(last) : endOf(first),
    hasMore: end !== null && end.position !== first.end_position,
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
  return scanRows<EventRow>(ctx, {
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

const positionOf = ({ position, event_id }: Row): Position => ({
  position,
  eventId: event_id ?? logStart.eventId,
});

const endOf = ({ end_position, end_event_id }: Row): Position =>
  end_position === null || end_event_id === null
    ? logStart
    : { position: end_position, eventId: end_event_id };

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
