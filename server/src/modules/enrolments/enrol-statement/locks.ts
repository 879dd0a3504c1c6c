import { createsEnrolment } from './actions.ts';
import { chooses } from './facts.ts';

// Rows are locked before they are changed, which also reads their latest version. The order is fixed, so that nodes do
// not deadlock: enrolments, then options (exclusively if seats are limited, otherwise shared), then users, then new
// enrolments.

/** The enrolments to end or extend. */
export const former = `former as materialized (
  select enrolment.enroll_id, enrolment.expires_at <= $3::timestamptz as lapsed
  from fact join enrolment on enrolment.tenant_id = $1 and enrolment.enroll_id = fact.former_id
  where ${chooses} and (fact.lapsed or fact.if_enrolled in ('extend', 'renew'))
    and (enrolment.ended_at is null) = (fact.current_id is not null) and enrolment.status <> 'withdrawn'
  order by enrolment.enroll_id for no key update of enrolment
)`;

/** The options for rows that create enrolments, each once, in locking order. */
function optionsOf(which: string): string {
  return `(select distinct step.course_id, step.chosen from step where ${createsEnrolment('step')} and ${which}) wanted
  join enrol_option option on option.course_id = wanted.course_id and option.duration_id = wanted.chosen`;
}

/** Options with limited seats, locked exclusively. */
export const limited = `limited as materialized (
  select option.course_id, option.duration_id, option.seats - option.seats_taken as seats_left
  from ${optionsOf('step.seats is not null')}
  order by option.course_id, option.duration_id for no key update of option
)`;

/** The other options, which must not get a limit in the meantime. */
export const unlimited = `unlimited as materialized (
  select option.course_id, option.duration_id
  from ${optionsOf('step.seats is null')} where option.seats is null
  order by option.course_id, option.duration_id for key share of option
)`;

/** The users, who must not change in the meantime; their group is copied to the enrolment. */
export const holder = `holder as materialized (
  select known.user_id, known.group_name from "user" known
  where known.tenant_id = $1 and known.user_id = any(array(select seated.user_id from seated where seated.begins))
  order by known.user_id for key share of known
)`;
