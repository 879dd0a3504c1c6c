import { isChoosable, isOffered } from '../catalogue/offers.ts';
import type { OptionRow } from '../catalogue/options.ts';
import { countSeats } from '../catalogue/seats.ts';
import { eventType, insertEvent } from '../events/write.ts';
import { endOf, shortened } from './end.ts';
import type { EnrolmentRow } from './record.ts';
import { statusAfter } from './states.ts';

/** One row of the statement. A row has at most two events: `first_event` ends one enrolment, `second_event` begins or extends one. */
export type EnrolRow = {
  enroll_id: string;
  first_event: string;
  second_event: string;
  login_id: string;
  course_id: string;
  duration_id: string | null;
  if_enrolled: 'return' | 'extend' | 'renew' | 'fail';
  /** null: not sent. */
  reference: string | null;
  metadata: Record<string, string> | null;
};

/**
 * What was done for a row. `keep`: the current enrolment is answered. `replace`: one whose time had ended was ended,
 * and a new one begun. `refuse`: the facts say why. `again`: it was changed by others meanwhile, or the seats are
 * `full`.
 */
type Act = 'keep' | 'create' | 'replace' | 'renew' | 'extend' | 'refuse' | 'again';

/** What the statement found out about one row. `enroll_id` null: nothing was enrolled, and the facts say why. */
export type Outcome = {
  n: number;
  user_found: boolean;
  user_enabled: boolean | null;
  course_status: 'published' | 'retired' | null;
  course_title: string;
  options: OptionRow[];
  chosen: string | null;
  act: Act;
  is_full: boolean | null;
} & ({ enroll_id: null } | EnrolmentRow);

const chooses = `coalesce(fact.user_enabled and fact.course_status = 'published' and fact.chosen is not null, false)`;
const begins = `step.act in ('create', 'replace', 'renew')`;
const isPending = `(held.starts_on = 'launch' and held.started_at is null and held.expires_at is null)`;

/** SQL: RFC 3339 in UTC, whatever the time zone of the server. */
function instant(column: string): string {
  return `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** Options of rows that begin, each once, in the order in which they are locked. */
function optionsOf(which: string): string {
  return `(select distinct step.course_id, step.chosen from step where ${begins} and ${which}) wanted
  join enrol_option option on option.course_id = wanted.course_id and option.duration_id = wanted.chosen`;
}

/**
 * Enrols n users of tenant $1 at time $3 in one round trip; $2 is an array of `EnrolRow`, each with its number `n`.
 * Answers one row for each: the facts that decide, what was done, and the enrolment, new or current.
 * Facts are of the snapshot. What a row changes is locked first, which brings it up to date: enrolments, then options
 * (a limited one alone, others shared), then users, whose group the enrolment takes over and which cannot change
 * meanwhile, then new enrolments, each in a fixed order, so that nodes do not block each other.
 * Look-ups are lateral with a limit, so that a plan made on small tables cannot read them whole.
 */
export const enrolText = `
with request as materialized (
  select * from jsonb_to_recordset($2::jsonb) as r (n integer, enroll_id uuid, first_event uuid, second_event uuid,
    login_id text, course_id text, duration_id text, if_enrolled text, reference text, metadata jsonb)
), fact as materialized (
  select request.*, known.user_id, known.enabled as user_enabled, course.status as course_status,
    course.title as course_title, coalesce(offer.options, '[]'::jsonb) as options,
    chosen.duration_id as chosen, chosen.duration, chosen.starts_on, chosen.seats,
    held.enroll_id as current_id, coalesce(held.expires_at <= $3::timestamptz, false) as lapsed,
    coalesce(held.enroll_id, past.enroll_id) as former_id
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
  ) held on true
  left join lateral (
    select latest.enroll_id from (
      select own.enroll_id, own.status from enrolment own
      where own.tenant_id = $1 and own.user_id = known.user_id and own.course_id = request.course_id
        and request.if_enrolled = 'extend' and held.enroll_id is null
      order by own.enroll_id desc limit 1
    ) latest where latest.status <> 'withdrawn'
  ) past on true
), former as materialized (
  select held.enroll_id, held.expires_at <= $3::timestamptz as lapsed
  from fact join enrolment held on held.tenant_id = $1 and held.enroll_id = fact.former_id
  where ${chooses} and (fact.lapsed or fact.if_enrolled in ('extend', 'renew'))
    and (held.ended_at is null) = (fact.current_id is not null) and held.status <> 'withdrawn'
  order by held.enroll_id for no key update of held
), step as materialized (
  select fact.*, case
    when not ${chooses} then 'refuse'
    when fact.current_id is not null and not fact.lapsed and fact.if_enrolled in ('return', 'fail') then 'keep'
    when fact.former_id is null then 'create'
    when former.enroll_id is null then 'again'
    when fact.if_enrolled = 'extend' then 'extend'
    when former.lapsed then 'replace'
    when fact.if_enrolled = 'renew' then 'renew'
    else 'again' end as act
  from fact left join former on former.enroll_id = fact.former_id
), limited as materialized (
  select option.course_id, option.duration_id, option.seats - option.seats_taken as seats_left
  from ${optionsOf('step.seats is not null')}
  order by option.course_id, option.duration_id for no key update of option
), unlimited as materialized (
  select option.course_id, option.duration_id
  from ${optionsOf('step.seats is null')} where option.seats is null
  order by option.course_id, option.duration_id for key share of option
), seated as materialized (
  select step.*, limited.seats_left, ${begins} and case
    when limited.duration_id is null then unlimited.duration_id is not null
    else limited.seats_left is null or row_number()
      over (partition by step.course_id, step.chosen, ${begins} order by step.n) <= limited.seats_left
    end as begins
  from step
  left join limited on limited.course_id = step.course_id and limited.duration_id = step.chosen
  left join unlimited on unlimited.course_id = step.course_id and unlimited.duration_id = step.chosen
), holder as materialized (
  select known.user_id, known.group_name from "user" known
  where known.tenant_id = $1 and known.user_id = any(array(select seated.user_id from seated where seated.begins))
  order by known.user_id for key share of known
), ended as (
  update enrolment held set ended_at = least(held.expires_at, $3), expires_at = least(held.expires_at, $3),
    changed_at = $3, status = ${statusAfter('held', 'expire')}, status_before_end = held.status
  from seated where held.tenant_id = $1 and held.enroll_id = seated.former_id and seated.begins
    and exists (select from step where step.act in ('replace', 'renew'))
  returning held.enroll_id, held.user_id, held.course_id, held.status, seated.n
), inserted as (
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
), counted as (
  ${countSeats('select course_id, duration_id, count(*)::integer as seats from inserted group by 1, 2')}
), extended as (
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
), told as (
  ${insertEvent}
  select $1, step.first_event, ${eventType('enrolment.expired')}, $3::timestamptz, ended.user_id, ended.enroll_id,
    ended.course_id, jsonb_build_object('Status', ended.status)
  from ended join step on step.n = ended.n where step.act = 'replace' and ended.status = 'expired'
  union all
  select $1, step.first_event, ${eventType('enrolment.renewed')}, $3, ended.user_id, ended.enroll_id, ended.course_id,
    jsonb_build_object('NewEnrollID', step.enroll_id, 'Status', ended.status)
  from ended join step on step.n = ended.n where step.act = 'renew'
  union all
  select $1, step.second_event, ${eventType('enrolment.extended')}, $3, extended.user_id, extended.enroll_id,
    extended.course_id, jsonb_build_object('DurationID', step.chosen, 'ExpiresAt', ${instant('extended.expires_at')},
      'Status', extended.status, 'Reference', step.reference)
  from extended join step on step.former_id = extended.enroll_id
  union all
  select $1, step.second_event, ${eventType('enrolment.created')}, $3, inserted.user_id, inserted.enroll_id,
    inserted.course_id, jsonb_build_object('DurationID', inserted.duration_id, 'Reference', inserted.reference)
  from inserted join step on step.enroll_id = inserted.enroll_id
), enrolled as (
  select seated.n as of_row, inserted.* from inserted join seated on seated.enroll_id = inserted.enroll_id
  union all
  select seated.n, extended.* from extended
    join seated on seated.former_id = extended.enroll_id and seated.act = 'extend'
  union all
  select seated.n, held.* from seated
    join enrolment held on held.tenant_id = $1 and held.enroll_id = seated.current_id and seated.act = 'keep'
)
select seated.n, seated.user_id is not null as user_found, seated.user_enabled, seated.course_status,
  seated.course_title, seated.options, seated.chosen, seated.act,
  not seated.begins and seated.seats_left <= (
    select count(*) from inserted
    where inserted.course_id = seated.course_id and inserted.duration_id = seated.chosen
  ) and ${begins.replaceAll('step.', 'seated.')} as is_full, enrolled.*
from seated left join enrolled on enrolled.of_row = seated.n`;
