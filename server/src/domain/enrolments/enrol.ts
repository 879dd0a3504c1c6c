import { path } from '../../http/routes.ts';
import {
  Outdated,
  openVerb,
  perform,
  type Submission,
  submitInside,
  type VerbCall,
} from '../../infra/calls/once.ts';
import { byTenant, coalesceReads, wantedRows } from '../../infra/calls/queue.ts';
import { type Context, partOfState, type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { addPeriods, dayOf, lastSecond } from '../../lib/days.ts';
import { type ErrorCode, invalid, Problem } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { CourseRow } from '../catalogue/courses.ts';
import { isOffered, isSelectable, toCourse, withGroups } from '../catalogue/offers.ts';
import { knownPeriods, type OptionRow, toOption } from '../catalogue/options.ts';
import { courseNotFound } from '../catalogue/problems.ts';
import type { Course } from '../catalogue/schemas.ts';
import { numberBeforeCommit } from '../events/write.ts';
import { endAt, endOfDay, timeZoneOf } from '../tenants/time-zone.ts';
import { groupsSql } from '../users/groups.ts';
import { userNotFound } from '../users/users.ts';
import { enrolForTenants } from './enrol-function.ts';
import { changedDetails } from './record/details.ts';
import { type EnrolmentRow, toEnrolment } from './record/record.ts';
import type { Enrolment, EnrolRequest } from './record/schemas.ts';

/**
 * One row of the input. Each row causes at most two events: `first_event` ends an enrolment, and
 * `second_event` creates or extends one.
 */
type EnrolRow = {
  enroll_id: string;
  first_event: string;
  second_event: string;
  login_id: string;
  course_id: string;
  duration_id: string | null;
  if_enrolled: 'return' | 'extend' | 'renew' | 'fail';
  /** Null if it was not sent. */
  expires_at: string | null;
  /** The enrolment on the path of which the course is a part. It sets the end of access. */
  path_enroll_id: string | null;
  due_dates: Record<string, string> | null;
  /** The columns of the details that were sent. */
  [detail: string]: unknown;
};

/**
 * The action taken for a row. `keep`: returned the current enrolment. `replace`: ended an expired one and
 * created another. `limit`: the user has the maximum number of enrolments. `refuse`: the data does not permit
 * the enrolment. `again`: another request changed the row, so the caller must retry.
 */
type EnrolAction = 'keep' | 'create' | 'replace' | 'renew' | 'extend' | 'limit' | 'refuse' | 'again';

/**
 * The function's result for a row. If no enrolment was created, `enroll_id` is null and the other columns show the
 * reason.
 */
type Outcome = {
  n: number;
  user_found: boolean;
  user_enabled: boolean | null;
  course_status: 'published' | 'retired' | null;
  course_title: string;
  /** The options that the user can choose; empty if one was chosen. */
  options: OptionRow[];
  chosen: string | null;
  action: EnrolAction;
  is_full: boolean;
  user_time_factor: number;
} & ({ enroll_id: null } | EnrolmentRow);

type EnrolTarget = { loginId: string; courseId: string; durationId?: string };

/** Error codes of every operation that enrols users. Errors about the choice of an option are listed separately. */
export const enrolProblems = [
  'user_not_found',
  'user_disabled',
  'course_not_found',
  'course_retired',
  'no_seats_left',
  'too_many_enrolments',
  'already_enrolled',
] as const satisfies readonly ErrorCode[];

/**
 * Returns why the row was not enrolled. Returns null if the row was enrolled, or if another request changed
 * it first.
 */
function refusalOf(outcome: Outcome, input: EnrolTarget): Problem | null {
  if (!outcome.user_found) return userNotFound();
  if (outcome.course_status === null) return courseNotFound();
  if (!outcome.user_enabled)
    return new Problem('user_disabled', 'The user is disabled. Enable them with PUT /user/{LoginID} first.', {
      param: 'LoginID',
    });
  if (outcome.course_status === 'retired')
    return new Problem(
      'course_retired',
      'The course is retired and accepts no new enrolments. Choose another course.',
      { param: 'CourseID' },
    );
  if (outcome.action === 'limit')
    return new Problem(
      'too_many_enrolments',
      'The user has reached the maximum of 2,000 enrolments, including ended ones. Extend one of them with IfEnrolled set to extend.',
      { param: 'LoginID' },
    );
  if (outcome.is_full)
    return new Problem(
      'no_seats_left',
      'All seats of this enrolment option are taken. Choose another option, or ask the operator for more seats.',
      { param: 'DurationID' },
    );
  if (outcome.chosen !== null) return null;
  const offered = { AvailableEnrolOptions: outcome.options.map((option) => pathTo(option, input)) };
  if (input.durationId !== undefined)
    return new Problem(
      'option_not_found',
      'This user cannot choose an enrolment option with this DurationID. Use one from AvailableEnrolOptions.',
      { param: 'DurationID', ...offered },
    );
  if (outcome.options.length === 0)
    return new Problem(
      'no_enrolment_option',
      'The course has no enrolment option for this user. Ask the operator to publish one.',
      { param: 'CourseID' },
    );
  return new Problem(
    'multiple_enrolment_options',
    'multiple enrolment options found: repeat the request with a DurationID from AvailableEnrolOptions.',
    { param: 'DurationID', ...offered },
  );
}

function pathTo(option: OptionRow, input: EnrolTarget) {
  return { ...toOption(option), Path: path`/enrol/${input.loginId}/${input.courseId}/${option.duration_id}` };
}

type Row = { options: OptionRow[]; enroll_id: string | null; own_groups: string[] } & (
  | CourseRow
  | { course_id: null }
);

const text = `
select wanted.n, course.*, release.number as release_number, release.standard as release_standard,
  offer.options, enrolment.enroll_id, ${groupsSql('known')} as own_groups
from ${wantedRows('login_id text, course_id text')}
cross join lateral (
  select own.user_id, own.group_name, own.other_groups from "user" own
  where own.tenant_id = $1 and own.login_id = wanted.login_id limit 1
) known
left join lateral (
  select own.* from course own where own.course_id = wanted.course_id and ${isOffered('own', '$1')} limit 1
) course on true
left join lateral (
  select own.number, own.standard from release own where own.release_id = course.release_id limit 1
) release on true
left join lateral (
  select coalesce(jsonb_agg(to_jsonb(option) order by option.created_at, option.duration_id), '[]'::jsonb) as options
  from enrol_option option
  where option.course_id = course.course_id and ${isSelectable('option', 'known')}
) offer on true
left join lateral (
  select own.enroll_id from enrolment own
  where own.tenant_id = $1 and own.user_id = known.user_id and own.course_id = wanted.course_id
    and own.ended_at is null and (own.expires_at is null or own.expires_at > $3) limit 1
) enrolment on true`;

type Wanted = { courseId: string; loginId: string };

const readRow = coalesceReads<Wanted, Row>({
  name: 'read_offers',
  text,
  item: ({ loginId, courseId }) => ({ login_id: loginId, course_id: courseId }),
  more: (ctx) => [tenantNow(ctx)],
});

/** Returns the course with the options that this learner can choose, and the learner's current enrolment. */
export async function readOffer(
  ctx: TenantContext,
  input: Wanted,
): Promise<Course & { EnrollID: string | null }> {
  const row = await readRow(ctx, input);
  if (!row) throw userNotFound();
  if (row.course_id === null) throw courseNotFound();
  const options = withGroups(row.options, new Set(row.own_groups));
  return { ...toCourse(row, options), EnrollID: row.enroll_id };
}

type EnrolInput = EnrolRequest & {
  loginId: string;
  courseId: string;
  durationId?: string;
  pathEnrollId?: string;
};

export type Enrolled = { enrolment: Enrolment; isNew: boolean };

/** The seats that a plan has counted so far. Each dry run has its own `ctx.state`. */
const plannedSeats = partOfState('planned_seats', () => [] as string[]);

const isNew = ({ action }: Outcome) => action !== 'keep' && action !== 'extend';

/** Rows that have to wait for another transaction, because one takes only a few seats, have no result. */
async function enrolRows(
  ctx: Context,
  calls: readonly VerbCall<EnrolRow>[],
  isLast: boolean,
): Promise<(Outcome | undefined)[]> {
  const numbered = calls.map(({ ctx, row }, n) => ({ ctx, row: { n, ...row } }));
  const planned = ctx.isDryRun ? plannedSeats(ctx) : null;
  const { rows } = await enrolForTenants.call<Outcome>(
    ctx,
    byTenant(numbered).map((own) => {
      const { ctx } = own[0] as (typeof own)[0];
      if (!isLast) numberBeforeCommit(ctx, [ctx.tenantId]);
      return { ctx, values: [JSON.stringify(own.map(({ row }) => row)), tenantNow(ctx), isLast, planned] };
    }),
  );
  const outcomes: (Outcome | undefined)[] = calls.map(() => undefined);
  for (const outcome of rows) {
    outcomes[outcome.n] = outcome;
    if (outcome.enroll_id !== null && isNew(outcome))
      planned?.push(`${outcome.course_id}\n${outcome.duration_id}`);
  }
  return outcomes;
}

const submission = openVerb<EnrolRow, Outcome>({
  name: 'enrol',
  isShared: true,
  key: (row) => JSON.stringify([row.login_id, row.course_id]),
  run: enrolRows,
});

/** Enrols a user on a course. `IfEnrolled` decides what happens to a current enrolment. */
export async function enrolling<T>(
  ctx: TenantContext,
  input: EnrolInput,
  answer: (enrolled: Enrolled) => T,
): Promise<Submission<T>> {
  return submission(await prepareRow(ctx, input), (outcome) => answer(enrolledBy(ctx, input, outcome)));
}

export function enrol(ctx: TenantContext, input: EnrolInput): Promise<Enrolled> {
  return perform(ctx, () => enrolling(ctx, input, (enrolled) => enrolled));
}

/**
 * Enrols one user on several courses in the caller's transaction. If this throws, the caller must roll back,
 * so that either all enrolments are created or none.
 */
export async function enrolInTransaction(ctx: TenantContext, inputs: EnrolInput[]): Promise<Enrolled[]> {
  const attempt = async (some: readonly EnrolInput[]) =>
    submitInside(ctx, await Promise.all(some.map((input) => enrolling(ctx, input, (enrolled) => enrolled))));
  const settled = await attempt(inputs);
  const answers: Enrolled[] = [];
  for (const [n, input] of inputs.entries()) {
    let one = settled[n];
    // The next statement sees the changes that another node made during this one.
    if (one?.status === 'rejected' && one.reason instanceof Outdated) [one] = await attempt([input]);
    if (one?.status !== 'fulfilled') throw one?.reason;
    answers.push(one.value);
  }
  return answers;
}

export type EnrolLast = EnrolInput & { DueAt: string; enrollId: string };

/**
 * Enrols users as the last step of the caller's transaction. `enrollId` is the ID of a new enrolment, and `DueAt` an
 * instant. Returns for each row the ID of the enrolment, which may be one that somebody has made meanwhile, or why it
 * was refused.
 */
export async function enrolLast(
  ctx: TenantContext,
  inputs: readonly EnrolLast[],
): Promise<(Problem | string)[]> {
  const rows = inputs.map((input) => rowOf(ctx, input, { dueDates: null, enrollId: input.enrollId }));
  const outcomes = rows.map((): Outcome | undefined => undefined);
  for (let left = [...rows.entries()]; left.length > 0; ) {
    const found = await enrolRows(
      ctx,
      left.map(([, row]) => ({ ctx, row })),
      true,
    );
    for (const [at, [n]] of left.entries()) outcomes[n] = found[at];
    left = left.filter(([n]) => outcomes[n] === undefined);
  }
  return inputs.map((input, n) => {
    const outcome = outcomes[n];
    if (!outcome || outcome.enroll_id === null)
      return (outcome && refusalOf(outcome, input)) ?? new Outdated();
    return outcome.enroll_id;
  });
}

async function prepareRow(ctx: TenantContext, input: EnrolInput): Promise<EnrolRow> {
  const dueDates = await dueDatesOf(ctx, input);
  return rowOf(ctx, await withInstants(ctx, input), { dueDates });
}

function rowOf(
  ctx: TenantContext,
  input: EnrolInput,
  { dueDates, enrollId }: { dueDates: EnrolRow['due_dates']; enrollId?: string },
): EnrolRow {
  const now = tenantNow(ctx);
  if (input.ExpiresAt !== undefined && new Date(input.ExpiresAt) <= now)
    throw invalid('ExpiresAt', 'ExpiresAt must be in the future.');
  return {
    enroll_id: enrollId ?? newId(now),
    first_event: newId(now),
    second_event: newId(now),
    login_id: input.loginId,
    course_id: input.courseId,
    duration_id: input.durationId ?? null,
    if_enrolled: input.IfEnrolled ?? 'return',
    expires_at: input.ExpiresAt ?? null,
    path_enroll_id: input.pathEnrollId ?? null,
    due_dates: dueDates,
    ...changedDetails(input),
  };
}

function enrolledBy(ctx: TenantContext, input: EnrolInput, outcome: Outcome): Enrolled {
  const refused = refusalOf(outcome, input);
  if (refused) throw refused;
  if (outcome.enroll_id === null) throw new Outdated();
  if (outcome.action === 'keep' && input.IfEnrolled === 'fail')
    throw new Problem(
      'already_enrolled',
      'The user is already enrolled on this course. Read the enrolment instead.',
      { EnrollID: outcome.enroll_id },
    );
  return {
    enrolment: toEnrolment(ctx, { ...outcome, login_id: input.loginId }),
    isNew: isNew(outcome),
  };
}

/** The input with its days as instants. */
export async function withInstants<I extends { DueAt?: string | null; ExpiresAt?: string | null }>(
  ctx: TenantContext,
  input: I,
): Promise<I> {
  const { DueAt, ExpiresAt } = input;
  return {
    ...input,
    ...(DueAt != null && { DueAt: (await endOfDay(ctx, DueAt, 'DueAt')).toISOString() }),
    ...(ExpiresAt != null && { ExpiresAt: (await endAt(ctx, ExpiresAt, 'ExpiresAt')).toISOString() }),
  };
}

/**
 * When an enrolment that is created now is due, by the option that the database will choose; null if none of the
 * options has a period.
 */
export async function dueDatesOf(
  ctx: TenantContext,
  { courseId, DueAt }: { courseId: string; DueAt?: string | null },
): Promise<Record<string, string> | null> {
  if (DueAt !== undefined) return null;
  const periods = await knownPeriods.get(ctx, courseId);
  if (periods.size === 0) return null;
  const timeZone = await timeZoneOf(ctx);
  const today = dayOf(tenantNow(ctx), timeZone);
  const dueAfter = (period: string) => lastSecond(addPeriods(today, period), timeZone).toISOString();
  return Object.fromEntries([...periods].map(([durationId, period]) => [durationId, dueAfter(period)]));
}
