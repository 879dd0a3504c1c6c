import { countSeats } from '../../catalogue/seats.ts';
import { cappedDuration, cappedEnd } from '../end.ts';
import { statusAfter } from '../states.ts';

/** Enrolments that a new one replaces. */
export const ended = `ended as (
  update enrolment set ended_at = least(enrolment.expires_at, $3), expires_at = least(enrolment.expires_at, $3),
    changed_at = $3, status = ${statusAfter('enrolment', 'expire')}, status_before_end = enrolment.status
  from seated where enrolment.tenant_id = $1 and enrolment.enroll_id = seated.former_id and seated.begins
    and exists (select from step where step.action in ('replace', 'renew'))
  returning enrolment.enroll_id, enrolment.user_id, enrolment.course_id, enrolment.status, seated.n
)`;

export const inserted = `inserted as (
  insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, duration, starts_on, enrolled_at,
    changed_at, expires_at, reference, metadata, group_name)
  select $1, seated.enroll_id, seated.user_id, seated.course_id, seated.chosen, seated.duration, seated.starts_on,
    $3, $3, case when seated.starts_on = 'enrolment' then ${cappedEnd('$3::timestamptz', 'seated.duration')} end,
    seated.reference, coalesce(seated.metadata, '{}'::jsonb), holder.group_name
  from seated join holder on holder.user_id = seated.user_id left join ended on ended.n = seated.n
  where seated.begins and (seated.action = 'create' or ended.n is not null)
  order by seated.user_id, seated.course_id
  on conflict (tenant_id, user_id, course_id) where ended_at is null do nothing
  returning *
)`;

/** The seats of the new enrolments. */
export const counted = `counted as (
  ${countSeats('select course_id, duration_id, count(*)::integer as seats from inserted group by 1, 2')}
)`;

const isPending = `(enrolment.starts_on = 'launch' and enrolment.started_at is null and enrolment.expires_at is null)`;

/** For a running period, moves its end; for a duration that has not started, lengthens it. */
export const extended = `extended as (
  update enrolment set
    expires_at = case when enrolment.expires_at is not null
      then ${cappedEnd('greatest(enrolment.expires_at, $3)', 'seated.duration')} end,
    duration = case when ${isPending} then (${cappedDuration('enrolment.duration')} + ${cappedDuration('seated.duration')})::text
      else enrolment.duration end,
    reference = coalesce(seated.reference, enrolment.reference), metadata = coalesce(seated.metadata, enrolment.metadata),
    status = ${statusAfter('enrolment', 'restore')}, ended_at = null, changed_at = $3, revision = enrolment.revision + 1
  from seated where enrolment.tenant_id = $1 and enrolment.enroll_id = seated.former_id and seated.action = 'extend'
    -- Nothing to extend, nothing to look at, whatever plan was made while the table was small.
    and exists (select from step where step.action = 'extend')
  returning enrolment.*
)`;
