import { isOffered, isSelectable } from '../catalogue/offers.ts';

/**
 * Reads the user, the course, the current enrolment and the requested option. If no option was requested,
 * reads the course's only option. A query plan may be cached while a table is small. Each `limit` prevents
 * this plan from scanning the table once it is large.
 */
export const readFacts = `
    select known.user_id, known.enabled, known.group_name, course.status as course_status, course.title,
      ongoing.enroll_id, coalesce(ongoing.expires_at <= $3, false) as lapsed,
      choice.duration_id, choice.duration, choice.starts_on, choice.seats, choice.seats_taken, choice.attempts, choice.offered
    into fact
    from (values (request.login_id, request.course_id, request.duration_id)) as wanted (login_id, course_id, duration_id)
    left join lateral (
      select own.user_id, own.enabled, own.group_name from "user" own
      where own.tenant_id = $1 and own.login_id = wanted.login_id limit 1
    ) known on true
    left join course on course.course_id = wanted.course_id and ${isOffered('course', '$1')}
    left join lateral (
      select own.enroll_id, own.expires_at from enrolment own
      where own.tenant_id = $1 and own.user_id = known.user_id and own.course_id = wanted.course_id
        and own.ended_at is null limit 1
    ) ongoing on true
    left join lateral (
      select option.duration_id, option.duration, option.starts_on, option.seats, option.seats_taken, option.attempts,
        count(*) over () as offered
      from enrol_option option
      where option.course_id = course.course_id and ${isSelectable('option', 'known.group_name')}
        and option.duration_id = coalesce(wanted.duration_id, option.duration_id)
      limit 1
    ) choice on true;`;

/** The options that the user can choose. */
export const listOptions = `
      select coalesce(jsonb_agg(to_jsonb(option) order by option.created_at, option.duration_id), '[]') into options
      from enrol_option option
      where option.course_id = request.course_id and ${isSelectable('option', 'fact.group_name')};`;
