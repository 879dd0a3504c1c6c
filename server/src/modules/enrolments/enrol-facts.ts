import { isOffered, isSelectable } from '../catalogue/offers.ts';

/**
 * Reads the user, the course, the current enrolment and the requested option, or the course's only option if none
 * was requested. Four short statements cost less than one that joins the tables. A query plan may be cached
 * while a table is small. Each `limit` prevents this plan from scanning the table once it is large.
 */
export const readFacts = `
    select own.user_id, own.enabled, own.group_name into learner from "user" own
    where own.tenant_id = $1 and own.login_id = request.login_id limit 1;
    select known.status, known.title into offering from course known
    where known.course_id = request.course_id and ${isOffered('known', '$1')} limit 1;
    select own.enroll_id, own.expires_at <= $3 as lapsed into ongoing from enrolment own
    where own.tenant_id = $1 and own.user_id = learner.user_id and own.course_id = request.course_id
      and own.ended_at is null limit 1;
    select option.duration_id, option.duration, option.starts_on, option.seats, option.seats_taken, option.attempts,
      count(*) over () as offered
    into choice from enrol_option option
    where option.course_id = request.course_id and ${isSelectable('option', 'learner.group_name')}
      and option.duration_id = coalesce(request.duration_id, option.duration_id) limit 1;`;

/** The options that the user can choose. */
export const listOptions = `
      select coalesce(jsonb_agg(to_jsonb(option) order by option.created_at, option.duration_id), '[]') into options
      from enrol_option option
      where option.course_id = request.course_id and ${isSelectable('option', 'learner.group_name')};`;
