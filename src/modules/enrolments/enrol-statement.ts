import { isChoosable, isOffered } from '../catalogue/offers.ts';
import { eventType, insertEvent } from '../events/write.ts';
import { statusAfter } from './states.ts';

/** One row of the statement; the two event ids are used when the event happens. */
export type EnrolRow = {
  enroll_id: string;
  created_event: string;
  expired_event: string;
  login_id: string;
  course_id: string;
  duration_id: string | null;
  reference: string | null;
  metadata: Record<string, string>;
};

const chooses = `fact.user_enabled and fact.course_status = 'published' and fact.chosen is not null`;

/**
 * Enrols n users of tenant $1 at time $3 in one round trip; $2 is an array of `EnrolRow`, each with its number `n`.
 * Answers one row for each: the facts that decide, and the enrolment, new or current. A current enrolment whose time
 * has ended is ended first.
 */
export const enrolText = `
with request as materialized (
  select * from jsonb_to_recordset($2::jsonb) as r (n integer, enroll_id uuid, created_event uuid, expired_event uuid,
    login_id text, course_id text, duration_id text, reference text, metadata jsonb)
), fact as materialized (
  select request.*, known.user_id, known.enabled as user_enabled, course.status as course_status,
    course.title as course_title, coalesce(offer.options, '[]'::jsonb) as options,
    chosen.duration_id as chosen, chosen.duration, chosen.starts_on,
    held.enroll_id as current_id, held.expires_at <= $3::timestamptz as lapsed
  from request
  left join "user" known on known.tenant_id = $1 and known.login_id = request.login_id
  left join course on course.course_id = request.course_id and ${isOffered('course', '$1')}
  left join lateral (
    select jsonb_agg(to_jsonb(option) order by option.created_at, option.duration_id) as options
    from enrol_option option
    where option.course_id = course.course_id and ${isChoosable('option', 'known.group_name')}
  ) offer on true
  left join enrol_option chosen on chosen.course_id = course.course_id
    and ${isChoosable('chosen', 'known.group_name')}
    and (chosen.duration_id = request.duration_id
      or (request.duration_id is null and jsonb_array_length(offer.options) = 1))
  left join enrolment held on held.tenant_id = $1 and held.user_id = known.user_id
    and held.course_id = request.course_id and held.ended_at is null
), ended as (
  update enrolment held set ended_at = held.expires_at, changed_at = $3, status = ${statusAfter('held', 'expire')},
    status_before_end = held.status
  from fact where held.tenant_id = $1 and held.enroll_id = fact.current_id and fact.lapsed and ${chooses}
  returning held.enroll_id, held.user_id, held.course_id, held.status, fact.expired_event
), inserted as (
  insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, duration, starts_on, enrolled_at,
    changed_at, expires_at, reference, metadata)
  select $1, fact.enroll_id, fact.user_id, fact.course_id, fact.chosen, fact.duration, fact.starts_on, $3, $3,
    case when fact.starts_on = 'enrolment' then $3::timestamptz + fact.duration::interval end,
    fact.reference, fact.metadata
  from fact left join ended on ended.enroll_id = fact.current_id
  where ${chooses} and (fact.current_id is null or ended.enroll_id is not null)
  on conflict (tenant_id, user_id, course_id) where ended_at is null do nothing
  returning *
), told as (
  ${insertEvent}
  select $1, ended.expired_event, ${eventType('enrolment.expired')}, $3::timestamptz, ended.user_id, ended.enroll_id,
    ended.course_id, '{}'::jsonb
  from ended where ended.status = 'expired'
  union all
  select $1, fact.created_event, ${eventType('enrolment.created')}, $3::timestamptz, inserted.user_id,
    inserted.enroll_id, inserted.course_id,
    jsonb_build_object('DurationID', inserted.duration_id, 'Reference', inserted.reference)
  from inserted join fact on fact.enroll_id = inserted.enroll_id
)
select fact.n, fact.user_id is not null as user_found, fact.user_enabled, fact.course_status, fact.course_title,
  fact.options, fact.chosen, enrolled.*
from fact left join lateral (
  select true as is_new, inserted.* from inserted where inserted.enroll_id = fact.enroll_id
  union all
  select false, held.* from enrolment held
  where held.tenant_id = $1 and held.enroll_id = fact.current_id and not coalesce(fact.lapsed, false)
) enrolled on true`;
