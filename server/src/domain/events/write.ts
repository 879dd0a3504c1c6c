import { beforeCommit, type Database, runUnprepared } from '../../db/transaction.ts';
import type { EventType } from './types.ts';

/**
 * The beginning of an INSERT that other modules include in their own statements, so that a change and its
 * event commit together. A SELECT of exactly these columns must follow. `numberBeforeCommit` assigns the
 * position.
 */
export const insertEvent =
  'insert into event (tenant_id, event_id, type, occurred_at, user_id, enroll_id, course_id, data)';

/** Like `insertEvent`, but the SELECT ends with a position from `nextPositions`. */
export const insertEventAt = insertEvent.replace(')', ', position)');

/** An event type as an SQL literal, for the SELECT that follows `insertEvent`. */
export function eventType(type: EventType): string {
  return `'${type}'`;
}

/**
 * Advances the end of the log of the tenant `$1`. `count` is SQL with the number of new events. The row stays locked
 * until the commit, so take no other lock afterwards, except for storing the response of an Idempotency-Key.
 */
export const nextPositions = (count: string) => `insert into event_log as log (tenant_id, position)
  ${count} on conflict (tenant_id) do update set position = log.position + excluded.position
  returning log.position`;

/** SQL for the fields of an event. */
type NewEventSql = {
  id: string;
  type: string;
  user: string;
  enrolment: string;
  course: string;
  data: string;
};

/** SQL for a database function that collects events and inserts them all as its last step. */
export const eventBuffer = {
  declare: `events jsonb[] := '{}';
  log_end bigint;`,
  add: ({ id, type, user, enrolment, course, data }: NewEventSql) => `events := events ||
      jsonb_build_object('id', ${id}, 'type', ${type}, 'user', ${user}, 'enrolment', ${enrolment}, 'course', ${course}, 'data', ${data});`,
  /**
   * `isLast` is an SQL condition that is true if the transaction takes no locks after this function, except for storing
   * the response of an Idempotency-Key. Otherwise, call `numberBeforeCommit`.
   */
  write: (isLast: string) => `
  if cardinality(events) > 0 then
    if ${isLast} then
      ${nextPositions('values ($1, cardinality(events))')} into log_end;
    end if;
    ${insertEventAt}
    select $1, (made.entry ->> 'id')::uuid, made.entry ->> 'type', $3, (made.entry ->> 'user')::uuid,
      (made.entry ->> 'enrolment')::uuid, made.entry ->> 'course', made.entry -> 'data',
      log_end - cardinality(events) + made.n
    from unnest(events) with ordinality as made (entry, n);
  end if;`,
};

const number = `/* across tenants: a transaction may write events of several tenants */
with made as (
  select event.tenant_id, event.event_id,
    row_number() over (partition by event.tenant_id order by event.event_id) as n,
    count(*) over (partition by event.tenant_id) as count
  from event where event.tenant_id = any($1::text[]) and event.position is null
), log_end as (
  insert into event_log as log (tenant_id, position)
  select made.tenant_id, count(*) from made group by made.tenant_id order by made.tenant_id
  on conflict (tenant_id) do update set position = log.position + excluded.position
  returning log.tenant_id, log.position
)
update event set position = log_end.position - made.count + made.n
from made join log_end on log_end.tenant_id = made.tenant_id
where event.tenant_id = made.tenant_id and event.event_id = made.event_id`;

/** Assigns positions to the events of this transaction, which have none yet. */
export async function numberEvents(ctx: { db: Database }, tenants: string[]): Promise<void> {
  // A prepared plan for an empty table would scan the whole table for each event.
  await runUnprepared(ctx, number, [tenants]);
}

/**
 * Call this in a transaction that has written events without positions. Positions are assigned last, because all other
 * transactions that write events for the tenant then wait for the commit.
 */
export function numberBeforeCommit(ctx: { db: Database }, tenants: readonly string[]): void {
  beforeCommit(ctx, tenants, numberEvents);
}
