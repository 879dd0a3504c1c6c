import { type List, readRows } from '../../db/page.ts';
import type { Parameters } from '../../db/transaction.ts';
import { type Page, type PageQuery, page } from '../../http/pagination.ts';
import { recordOf } from '../../http/records.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { invalid } from '../../lib/errors.ts';
import { conditionsOf, type LogFilter } from './filter.ts';
import { logStart, type Position } from './position.ts';
import { Event } from './schemas.ts';
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

const withLogin = (page: string) => `select held.*, known.login_id from (${page}) held
  left join "user" known on known.tenant_id = $1 and known.user_id = held.user_id`;

const listOf = (ctx: TenantContext, filter: LogFilter) => ({
  rows: 'event held where held.tenant_id = $1',
  values: [ctx.tenantId],
  where: conditionsOf(filter),
});

/**
 * Adds the end of the log, or of the part that is read, and whether the reader's event is at the reader's position.
 * `position > 0` excludes events that have no position yet.
 */
const withEnd = (page: string, { add }: Parameters, after: After, end: number | null) => `
select ${add(after.eventId)}::uuid is null or ${add(after.position)}::bigint = 0 or exists (
    select from event mark where mark.tenant_id = $1 and mark.position = ${add(after.position)}
      and mark.event_id = ${add(after.eventId)}
  ) as is_known, log_end.position as end_position, log_end.event_id as end_event_id, held.*
from (values (1)) as one (row)
left join (
  select event.position, event.event_id from event where event.tenant_id = $1 and event.position > 0
    ${end === null ? '' : `and event.position <= ${add(end)}`}
  order by event.position desc limit 1
) log_end on true
left join (${withLogin(page)}) held on true`;

export type LoggedEvent = { event: Event; userId: string | null };

/** `hasMore` means that there may be more events after the position. */
export type LogPage = { events: LoggedEvent[]; position: Position; hasMore: boolean };

/** A position without an `eventId` does not come from a client and is not checked. */
type After = Position | { position: number; eventId: null };

/** Positions have no gaps, so this is the maximum number of events in which a statement looks for some types. */
const maxRead = 5_000;

/**
 * Reads the events after a position, oldest first. If there are fewer events than requested, the new position
 * is the end of what was read, so that events that do not match are not read again.
 */
export async function readLog(
  ctx: TenantContext,
  { after = logStart, limit, ...filter }: LogFilter & { after?: After; limit: number },
): Promise<LogPage> {
  const isNarrow = filter.enrollId !== undefined || filter.userId !== undefined;
  const end = filter.types && !isNarrow ? after.position + maxRead : null;
  const log = listOf(ctx, filter);
  const rows = await readRows<Row>(
    ctx,
    {
      ...log,
      where: [
        ...log.where,
        ...(end === null ? [] : [({ add }: Parameters) => `held.position <= ${add(end)}`]),
      ],
      key: ['position'],
      after: [after.position],
      show: (page, parameters) => withEnd(page, parameters, after, end),
    },
    limit,
  );
  const [first] = rows;
  if (!first) throw new Error('A left join returns at least one row.');
  if (!first.is_known)
    throw invalid(
      'Cursor',
      'Cursor is ahead of the log, because the database was restored from a backup. Start again without Cursor, or compare events by EventID.',
    );
  const found = rows.filter(({ event_id }) => event_id !== null);
  const last = found.length === limit ? found.at(-1) : undefined;
  return {
    events: found.map((row) => ({ event: toEvent(row), userId: row.user_id })),
    position: last ? positionOf(last) : endOf(first),
    hasMore: !last && end !== null && first.end_position === end,
  };
}

/**
 * The events before an ID, newest first. For display only: events committed late may appear on pages that were already
 * shown.
 */
export function listNewest(
  ctx: TenantContext,
  { before, ...query }: LogFilter & PageQuery & { before: string | null },
): Promise<Page<Event>> {
  const list: List = {
    ...listOf(ctx, query),
    key: ['event_id'],
    after: before === null ? null : [before],
    newest: true,
    show: withLogin,
  };
  return page<EventRow, Event>(ctx, query, list, (row) => row.event_id ?? '', toEvent);
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
  return recordOf(Event, row, { EventID: row.event_id ?? '' });
}
