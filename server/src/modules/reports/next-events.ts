import { eventType } from '../events/write.ts';

/** Maximum number of group changes per statement, and of enrolments that it moves for each change. */
const maxMoves = 10;
const maxMoved = 100;

/** Sorts before the ID of every enrolment. */
export const firstId = '00000000-0000-0000-0000-000000000000';

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
 * CTEs: the events to count (`entry`), the enrolments of users whose group changed (`move`), and where to stop moving
 * them (`stop`).
 */
export const nextEventsText = `next as (${nextText}), move as (${moveText}), stop as (${stopText}), entry as (${entryText})`;

/** SQL: whether a row of `move` belongs to this statement. */
export const isMovedNow = 'move.position <= coalesce((select stop.position from stop), move.position)';
