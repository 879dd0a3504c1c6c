import { countSeats } from '../../catalogue/seats.ts';
import { endOf, shortened } from '../end.ts';
import { statusAfter } from '../states.ts';

/** Enrolments that are replaced by a new one. */
export const ended = `ended as (
  update enrolment held set ended_at = least(held.expires_at, $3), expires_at = least(held.expires_at, $3),
    changed_at = $3, status = ${statusAfter('held', 'expire')}, status_before_end = held.status
  from seated where held.tenant_id = $1 and held.enroll_id = seated.former_id and seated.begins
    and exists (select from step where step.act in ('replace', 'renew'))
  returning held.enroll_id, held.user_id, held.course_id, held.status, seated.n
)`;

export const inserted = `inserted as (
  insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, duration, starts_on, enrolled_at,
    changed_at, expires_at, reference, metadata, group_name)
  select $1, seated.enroll_id, seated.user_id, seated.course_id, seated.chosen, seated.duration, seated.starts_on,
    $3, $3, case when seated.starts_on = 'enrolment' then ${endOf('$3::timestamptz', 'seated.duration')} end,
    seated.reference, coalesce(seated.metadata, '{}'::jsonb), holder.group_name
  from seated join holder on holder.user_id = seated.user_id left join ended on ended.n = seated.n
  where seated.begins and (seated.act = 'create' or ended.n is not null)
  order by seated.user_id, seated.course_id
  on conflict (tenant_id, user_id, course_id) where ended_at is null do nothing
  returning *
)`;

/** The seats of the new enrolments. */
export const counted = `counted as (
  ${countSeats('select course_id, duration_id, count(*)::integer as seats from inserted group by 1, 2')}
)`;

const isPending = `(held.starts_on = 'launch' and held.started_at is null and held.expires_at is null)`;

/** A running period ends later; a duration that has not started gets longer. */
export const extended = `extended as (
  update enrolment held set
    expires_at = case when held.expires_at is not null
      then ${endOf('greatest(held.expires_at, $3)', 'seated.duration')} end,
    duration = case when ${isPending} then (${shortened('held.duration')} + ${shortened('seated.duration')})::text
      else held.duration end,
    reference = coalesce(seated.reference, held.reference), metadata = coalesce(seated.metadata, held.metadata),
    status = ${statusAfter('held', 'restore')}, ended_at = null, changed_at = $3, revision = held.revision + 1
  from seated where held.tenant_id = $1 and held.enroll_id = seated.former_id and seated.act = 'extend'
    -- Nothing to extend, nothing to look at, whatever plan was made while the table was small.
    and exists (select from step where step.act = 'extend')
  returning held.*
)`;
