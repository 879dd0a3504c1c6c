import { begins } from './acts.ts';
import { chooses } from './facts.ts';

// What a row changes is locked first, which brings it up to date, and each kind in a fixed order, so that nodes do not
// block each other: enrolments, then options (a limited one alone, others shared), then users, then new enrolments.

/** The enrolments that are ended or extended. */
export const former = `former as materialized (
  select held.enroll_id, held.expires_at <= $3::timestamptz as lapsed
  from fact join enrolment held on held.tenant_id = $1 and held.enroll_id = fact.former_id
  where ${chooses} and (fact.lapsed or fact.if_enrolled in ('extend', 'renew'))
    and (held.ended_at is null) = (fact.current_id is not null) and held.status <> 'withdrawn'
  order by held.enroll_id for no key update of held
)`;

/** Options of rows that begin, each once, in the order in which they are locked. */
function optionsOf(which: string): string {
  return `(select distinct step.course_id, step.chosen from step where ${begins('step')} and ${which}) wanted
  join enrol_option option on option.course_id = wanted.course_id and option.duration_id = wanted.chosen`;
}

/** Options with limited seats, locked for this statement alone. */
export const limited = `limited as materialized (
  select option.course_id, option.duration_id, option.seats - option.seats_taken as seats_left
  from ${optionsOf('step.seats is not null')}
  order by option.course_id, option.duration_id for no key update of option
)`;

/** Other options, which must not get a limit meanwhile. */
export const unlimited = `unlimited as materialized (
  select option.course_id, option.duration_id
  from ${optionsOf('step.seats is null')} where option.seats is null
  order by option.course_id, option.duration_id for key share of option
)`;

/** The users, whose group the enrolment takes over and who cannot change meanwhile. */
export const holder = `holder as materialized (
  select known.user_id, known.group_name from "user" known
  where known.tenant_id = $1 and known.user_id = any(array(select seated.user_id from seated where seated.begins))
  order by known.user_id for key share of known
)`;
