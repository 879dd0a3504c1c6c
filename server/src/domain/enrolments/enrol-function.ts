import { databaseFunction, functionForTenants } from '../../db/functions.ts';
import { cappedDuration, cappedEnd, limitLockWaitsSql } from '../../db/transaction.ts';
import { isOffered, isSelectable } from '../catalogue/offers.ts';
import { returnSeatSql, takeSeatSql } from '../catalogue/seats.ts';
import type { EventType } from '../events/types.ts';
import { eventBuffer, eventType } from '../events/write.ts';
import { detailsSql } from './record/details.ts';
import { outcomeSql, statusAfter } from './record/states.ts';

/**
 * Reads the user, the course, the current enrolment and the requested option, or the course's only option if none
 * was requested. Four short statements cost less than one that joins the tables. A query plan may be cached
 * while a table is small. Each `limit` prevents this plan from scanning the table once it is large.
 */
const readFacts = `
    select own.user_id, own.enabled, own.group_name, own.other_groups, own.time_factor into learner from "user" own
    where own.tenant_id = $1 and own.login_id = request.login_id limit 1;
    select known.status, known.title into offering from course known
    where known.course_id = request.course_id and ${isOffered('known', '$1')} limit 1;
    select own.enroll_id, own.expires_at <= $3 as lapsed into ongoing from enrolment own
    where own.tenant_id = $1 and own.user_id = learner.user_id and own.course_id = request.course_id
      and own.ended_at is null limit 1;
    select option.duration_id, option.duration, option.starts_on, option.seats, option.seats_taken, option.attempts,
      count(*) over () as offered
    into choice from enrol_option option
    where option.course_id = request.course_id and ${isSelectable('option', 'learner')}
      and option.duration_id = coalesce(request.duration_id, option.duration_id) limit 1;`;

/** The options that the user can choose. */
const listOptions = `
      select coalesce(jsonb_agg(to_jsonb(option) order by option.created_at, option.duration_id), '[]') into options
      from enrol_option option
      where option.course_id = request.course_id and ${isSelectable('option', 'learner')};`;

/**
 * The maximum number of rows in a transaction that takes seats. After the first seat is taken,
 * other tenants wait for the option until the commit.
 */
const rowsWithSeats = 10;

/**
 * Selects the enrolment to extend or end. An extension applies to the current enrolment. Without
 * one, it applies to the latest enrolment, unless that was withdrawn.
 */
const lockFormer = `
    former_id := ongoing.enroll_id;
    if former_id is null and request.if_enrolled = 'extend' then
      select latest.enroll_id into former_id from (
        select own.enroll_id, own.status from enrolment own
        where own.tenant_id = $1 and own.user_id = learner.user_id and own.course_id = request.course_id
        order by own.enroll_id desc limit 1
      ) latest where latest.status <> 'withdrawn';
    end if;
    action := 'create';
    if former_id is not null then
      select own.*, own.expires_at <= $3 as lapsed into former from enrolment own
      where own.tenant_id = $1 and own.enroll_id = former_id
        and (own.ended_at is null) = (ongoing.enroll_id is not null) and own.status <> 'withdrawn'
      for no key update;
      action := (case when not found then 'again' when request.if_enrolled = 'extend' then 'extend'
        when former.lapsed then 'replace' when request.if_enrolled = 'renew' then 'renew' else 'again' end);
    end if;
    if action = 'again' then
      return next;
      continue;
    end if;`;

/** `data` maps the name of each member to its SQL. */
function addEvent(
  id: 'first_event' | 'second_event',
  type: EventType,
  enrolment: string,
  data: Record<string, string>,
): string {
  const members = Object.entries(data).map(([name, value]) => `'${name}', ${value}`);
  return eventBuffer.add({
    id: `request.${id}`,
    type: eventType(type),
    user: 'learner.user_id',
    enrolment,
    course: 'request.course_id',
    data: `jsonb_build_object(${members.join(', ')})`,
  });
}

/** The state of the former enrolment after the change, in the Data of its event. */
const state = { Status: 'held.status', Outcome: outcomeSql('held') };

const isPending = `(former.starts_on = 'launch' and former.started_at is null and former.expires_at is null)`;
const isoTime = (time: string) => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/**
 * If the access period is running, moves its end; if it has not started, lengthens its duration. A requested end
 * replaces both.
 */
const extend = `
    if action = 'extend' then
      new_end := (case when former.expires_at is null and (request.expires_at is null or not ${isPending}) then null
        when request.expires_at is not null then greatest(former.expires_at, request.expires_at)
        else ${cappedEnd('greatest(former.expires_at, $3)', 'choice.duration')} end);
      new_duration := (case when ${isPending} and request.expires_at is null
        then (${cappedDuration('former.duration')} + ${cappedDuration('choice.duration')})::text else former.duration end);
      update enrolment set expires_at = new_end, end_set_at = $3, duration = new_duration,
        ${detailsSql.replace},
        status = ${statusAfter('enrolment', 'restore')}, ended_at = null, changed_at = $3,
        revision = enrolment.revision + 1
      where enrolment.tenant_id = $1 and enrolment.enroll_id = former_id
      returning enrolment.* into held;
      ${addEvent('second_event', 'enrolment.extended', 'former_id', {
        DurationID: 'chosen',
        ExpiresAt: isoTime('held.expires_at'),
        ...state,
        Reference: 'request.reference',
      })}
      return next;
      continue;
    end if;`;

const isChosen = 'option.course_id = request.course_id and option.duration_id = chosen';

/** Maximum number of enrolments per user. A change of the user's groups updates all of them together. */
const maxEnrolments = 2_000;

/**
 * Also reads the latest groups. Locks the user before the seat, because other tenants wait for seats. Locks the user
 * before the former enrolment, because a change of groups uses the same order.
 */
const lockUser = `
    select known.group_name, known.other_groups into current_group, further_groups from "user" known
    where known.tenant_id = $1 and known.user_id = learner.user_id for key share;
    is_known := found;`;

/** Rows of several courses meet their users in another order than a change of these users. */
const lockSeveralUsers = `
  if jsonb_array_length($2) > 1 then
    perform from "user" own where own.tenant_id = $1
      and own.login_id = any(array(select r.login_id from jsonb_to_recordset($2) as r (login_id text)))
    order by own.login_id for key share;
  end if;`;

const limitEnrolments = `
    if exists (select from enrolment own where own.tenant_id = $1 and own.user_id = learner.user_id
        offset ${maxEnrolments - 1}) then
      action := 'limit';
      return next;
      continue;
    end if;`;

/** A plan only compares the counts. It takes no seats, so other requests do not wait for it. */
const takeSeat = `
    if choice.seats is not null then
      seat := request.course_id || E'\\n' || chosen;
      is_full := choice.seats_taken + cardinality(array_positions(planned, seat)) >= choice.seats;
      if not is_full and not is_plan then
        exit when processed > ${rowsWithSeats};
        ${takeSeatSql(isChosen)};
        is_full := not found;
        ${limitLockWaitsSql};
        has_seat := has_seat or found;
      end if;
      if is_full then
        return next;
        continue;
      end if;
    end if;`;

const endFormer = `
    if action in ('replace', 'renew') then
      update enrolment set ended_at = least(enrolment.expires_at, $3), expires_at = least(enrolment.expires_at, $3),
        changed_at = $3, status = ${statusAfter('enrolment', 'expire')}, status_before_end = enrolment.status
      where enrolment.tenant_id = $1 and enrolment.enroll_id = former_id
      returning enrolment.* into held;
      if action = 'renew' then
        ${addEvent('first_event', 'enrolment.renewed', 'former_id', { NewEnrollID: 'request.enroll_id', ...state })}
      elsif held.status = 'expired' then
        ${addEvent('first_event', 'enrolment.expired', 'former_id', state)}
      end if;
    end if;`;

/**
 * The foreign key of the new row locks the option, so that no limit can be set before the commit. If a limit was set
 * just before, the row must take a seat instead. A conflict means that another request enrolled the user first.
 * `replace` and `renew` cannot conflict, because they have locked the former enrolment.
 */
const insert = `
    is_made := is_known;
    if is_made then
      new_end := (case when request.expires_at is not null or request.path_enroll_id is not null then request.expires_at
        when choice.starts_on = 'enrolment' then ${cappedEnd('$3', 'choice.duration')} end);
      insert into enrolment (tenant_id, enroll_id, user_id, course_id, duration_id, duration, starts_on, enrolled_at,
        changed_at, expires_at, group_name, attempt_rules, path_enroll_id, ${detailsSql.columns})
      values ($1, request.enroll_id, learner.user_id, request.course_id, chosen,
        case when request.path_enroll_id is null then choice.duration end, choice.starts_on, $3, $3,
        new_end, current_group, choice.attempts, request.path_enroll_id, ${detailsSql.values})
      on conflict (tenant_id, user_id, course_id) where ended_at is null do nothing
      returning enrolment.* into held;
      is_made := found;
    end if;
    if is_made and choice.seats is null then
      perform from enrol_option option where ${isChosen} and option.seats is null;
      if not found then
        delete from enrolment where enrolment.tenant_id = $1 and enrolment.enroll_id = request.enroll_id;
        held := null;
        is_made := false;
      end if;
    end if;
    if not is_made then
      if action <> 'create' then
        raise exception 'The user was erased by another request.' using errcode = 'foreign_key_violation';
      end if;
      ${returnSeatSql(`${isChosen} and choice.seats is not null and not is_plan`)};
      action := 'again';
      return next;
      continue;
    end if;
    if further_groups <> '{}' then
      insert into enrolment_group (tenant_id, enroll_id, group_name)
      select $1, request.enroll_id, unnest(further_groups);
    end if;
    if is_plan and choice.seats is not null then
      planned := planned || seat;
    end if;
    ${addEvent('second_event', 'enrolment.created', 'request.enroll_id', {
      DurationID: 'chosen',
      PathEnrollID: 'request.path_enroll_id',
      Reference: 'request.reference',
    })}
    return next;`;

/**
 * Enrols users of the tenant `$1`. `$2` is an array of `EnrolRow`, each with its number `n`. `$3` is the time. `$4`
 * is true if nothing else follows in the transaction. `$5` has the seats already counted by a plan; otherwise it is null. Rows that must wait for the next
 * transaction have no result. To prevent deadlocks between nodes, rows are locked in a fixed order: all users by
 * LoginID; then by course the enrolments and the option.
 */
export const enrolFunction = databaseFunction({
  name: 'enrol',
  parameters: 'text, jsonb, timestamptz, boolean, text[]',
  returns: `table (n integer, user_found boolean, user_enabled boolean, course_status text, course_title text,
  options jsonb, chosen text, action text, is_full boolean, user_time_factor double precision, held enrolment)`,
  body: `
declare
  request record;
  learner record;
  offering record;
  ongoing record;
  choice record;
  former record;
  former_id uuid;
  ${eventBuffer.declare}
  processed integer := 0;
  has_seat boolean := false;
  is_plan boolean := $5 is not null;
  planned text[] := coalesce($5, '{}');
  seat text;
  new_end timestamptz;
  new_duration text;
  current_group text;
  further_groups text[];
  is_known boolean;
  is_made boolean;
begin
  ${lockSeveralUsers}
  for request in
    select * from jsonb_to_recordset($2) as r (n integer, enroll_id uuid, first_event uuid, second_event uuid,
      login_id text, course_id text, duration_id text, if_enrolled text, expires_at timestamptz, path_enroll_id uuid, due_dates jsonb,
      ${detailsSql.parameters})
    order by r.course_id, r.duration_id, r.login_id
  loop
    exit when has_seat and processed >= ${rowsWithSeats};
    processed := processed + 1;
    ${readFacts}
    n := request.n;
    user_found := learner.user_id is not null;
    user_enabled := learner.enabled;
    user_time_factor := learner.time_factor;
    course_status := offering.status;
    course_title := offering.title;
    options := '[]';
    chosen := null;
    action := 'refuse';
    is_full := false;
    held := null;
    if learner.enabled is distinct from true or offering.status is distinct from 'published' then
      return next;
      continue;
    end if;
    if choice.offered is distinct from 1 then
      ${listOptions}
      return next;
      continue;
    end if;
    chosen := choice.duration_id;
    if ongoing.enroll_id is not null and ongoing.lapsed is not true and request.if_enrolled in ('return', 'fail') then
      select own.* into held from enrolment own where own.tenant_id = $1 and own.enroll_id = ongoing.enroll_id;
      action := 'keep';
      return next;
      continue;
    end if;
    ${lockUser}
    ${lockFormer}
    ${extend}
    ${limitEnrolments}
    ${takeSeat}
    ${endFormer}
    ${insert}
  end loop;
  ${eventBuffer.write('$4')}
end`,
});

/** The result columns, followed by the columns of the new, extended or current enrolment. */
export const enrolForTenants = functionForTenants(
  enrolFunction,
  `outcome.n, outcome.user_found, outcome.user_enabled, outcome.course_status, outcome.course_title, outcome.options,
  outcome.chosen, outcome.action, outcome.is_full, outcome.user_time_factor, (outcome.held).*`,
);
