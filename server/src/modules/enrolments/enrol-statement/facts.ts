import { isChoosable, isOffered } from '../../catalogue/offers.ts';

/** The requested rows: `$2` is an array of `EnrolRow`, each with its number `n`. */
export const request = `request as materialized (
  select * from jsonb_to_recordset($2::jsonb) as r (n integer, enroll_id uuid, first_event uuid, second_event uuid,
    login_id text, course_id text, duration_id text, if_enrolled text, reference text, metadata jsonb)
)`;

/**
 * The facts on which each row is decided, from the snapshot: user, course, chosen option, and current enrolment (for an
 * extension, the latest one). Look-ups are lateral with a limit, so that a plan made for small tables cannot scan them.
 */
export const fact = `fact as materialized (
  select request.*, known.user_id, known.enabled as user_enabled, course.status as course_status,
    course.title as course_title, coalesce(offer.options, '[]'::jsonb) as options,
    chosen.duration_id as chosen, chosen.duration, chosen.starts_on, chosen.seats,
    ongoing.enroll_id as current_id, coalesce(ongoing.expires_at <= $3::timestamptz, false) as lapsed,
    coalesce(ongoing.enroll_id, past.enroll_id) as former_id
  from request
  left join lateral (
    select own.user_id, own.enabled, own.group_name from "user" own
    where own.tenant_id = $1 and own.login_id = request.login_id limit 1
  ) known on true
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
  left join lateral (
    select own.enroll_id, own.expires_at from enrolment own
    where own.tenant_id = $1 and own.user_id = known.user_id and own.course_id = request.course_id
      and own.ended_at is null limit 1
  ) ongoing on true
  left join lateral (
    select latest.enroll_id from (
      select own.enroll_id, own.status from enrolment own
      where own.tenant_id = $1 and own.user_id = known.user_id and own.course_id = request.course_id
        and request.if_enrolled = 'extend' and ongoing.enroll_id is null
      order by own.enroll_id desc limit 1
    ) latest where latest.status <> 'withdrawn'
  ) past on true
)`;

/** SQL: the facts include a user, a course and an option. */
export const chooses = `coalesce(fact.user_enabled and fact.course_status = 'published' and fact.chosen is not null, false)`;
