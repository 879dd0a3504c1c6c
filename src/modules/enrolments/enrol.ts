import { coalesce } from '../../platform/batch.ts';
import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { Problem } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { path } from '../../platform/routes.ts';
import { type OptionRow, toOption } from '../catalogue/options.ts';
import { courseNotFound } from '../catalogue/problems.ts';
import { userNotFound } from '../users/users.ts';
import { type EnrolRow, enrolText } from './enrol-statement.ts';
import { type EnrolmentRow, toEnrolment } from './record.ts';
import type { Enrolment, EnrolRequest } from './schemas.ts';

export type EnrolInput = EnrolRequest & { loginId: string; courseId: string; durationId?: string };

export type EnrolAnswer = { enrolment: Enrolment; isNew: boolean };

/** What the statement found out about one row. `enroll_id` null: nothing was enrolled, and the facts say why. */
type Outcome = {
  n: number;
  user_found: boolean;
  user_enabled: boolean | null;
  course_status: 'published' | 'retired' | null;
  course_title: string;
  options: OptionRow[];
  chosen: string | null;
  is_new: boolean;
} & ({ enroll_id: null } | EnrolmentRow);

const enrolRow = coalesce<TenantContext, EnrolRow, Outcome>({
  group: (ctx) => ctx.tenantId,
  key: (row) => JSON.stringify([row.login_id, row.course_id]),
  run: enrolRows,
});

async function enrolRows(ctx: TenantContext, rows: EnrolRow[]): Promise<Outcome[]> {
  const values = [ctx.tenantId, JSON.stringify(rows.map((row, n) => ({ n, ...row }))), ctx.now()];
  const outcomes = await run<Outcome>(ctx, { name: 'enrol', text: enrolText, values });
  return outcomes.sort((a, b) => a.n - b.n);
}

/** Enrols a user on a course. Answers the current enrolment when there is one, unless `IfEnrolled` is `fail`. */
export async function enrol(ctx: TenantContext, input: EnrolInput): Promise<EnrolAnswer> {
  const row = rowOf(ctx, input);
  // An enrolment that another node made during the statement is seen by the next one.
  let outcome = await enrolRow(ctx, row);
  if (outcome.enroll_id === null && !refusal(outcome, input)) outcome = await enrolRow(ctx, row);
  return answerOf(ctx, input, outcome);
}

/**
 * Enrols one user on different courses in the caller's transaction, which must be rolled back when this throws: then
 * none is enrolled. Never coalesced with the rows of other callers.
 */
export async function enrolInTransaction(ctx: TenantContext, inputs: EnrolInput[]): Promise<EnrolAnswer[]> {
  const rows = inputs.map((input, n) => ({ input, n, row: rowOf(ctx, input) }));
  const outcomes = await enrolRows(
    ctx,
    rows.map(({ row }) => row),
  );
  const raced = rows.filter(
    ({ input, n }) => outcomes[n]?.enroll_id === null && !refusal(outcomes[n], input),
  );
  for (const { n, row } of raced) outcomes.splice(n, 1, ...(await enrolRows(ctx, [row])));
  return rows.map(({ input, n }) => answerOf(ctx, input, outcomes[n] as Outcome));
}

function rowOf(ctx: TenantContext, input: EnrolInput): EnrolRow {
  const now = ctx.now();
  return {
    enroll_id: newId(now),
    created_event: newId(now),
    expired_event: newId(now),
    login_id: input.loginId,
    course_id: input.courseId,
    duration_id: input.durationId ?? null,
    reference: input.Reference ?? null,
    metadata: input.Metadata ?? {},
  };
}

function answerOf(ctx: TenantContext, input: EnrolInput, outcome: Outcome): EnrolAnswer {
  const refused = refusal(outcome, input);
  if (refused) throw refused;
  if (outcome.enroll_id === null)
    throw new Problem('unavailable', 'The enrolment is being changed by others. Try again.', {
      retryAfter: 1,
    });
  if (!outcome.is_new && input.IfEnrolled === 'fail')
    throw new Problem(
      'already_enrolled',
      'The user is enrolled on this course already. Read the enrolment instead.',
      {
        EnrollID: outcome.enroll_id,
      },
    );
  return {
    enrolment: toEnrolment(ctx, { ...outcome, login_id: input.loginId }),
    isNew: outcome.is_new,
  };
}

/** Why the row cannot be enrolled, or null. */
function refusal(outcome: Outcome, input: EnrolInput): Problem | null {
  if (!outcome.user_found) return userNotFound();
  if (outcome.course_status === null) return courseNotFound();
  if (!outcome.user_enabled)
    return new Problem('user_disabled', 'The user is disabled. Enable them with PUT /user/{LoginID} first.', {
      param: 'LoginID',
    });
  if (outcome.course_status === 'retired')
    return new Problem(
      'course_retired',
      'The course is retired and takes no new enrolments. Choose another course.',
      {
        param: 'CourseID',
      },
    );
  if (outcome.chosen !== null) return null;
  const offered = { AvailableEnrolOptions: outcome.options.map((option) => pathTo(option, input)) };
  if (input.durationId !== undefined)
    return new Problem(
      'option_not_found',
      'The course does not offer this user an enrolment option with this DurationID. Take one of AvailableEnrolOptions.',
      { param: 'DurationID', ...offered },
    );
  if (outcome.options.length === 0)
    return new Problem(
      'no_enrolment_option',
      'The course offers this user no enrolment option. Ask the operator to publish one.',
      { param: 'CourseID' },
    );
  return new Problem(
    'multiple_enrolment_options',
    'multiple enrolment options found: repeat the request with a DurationID of AvailableEnrolOptions.',
    { param: 'DurationID', ...offered },
  );
}

function pathTo(option: OptionRow, input: EnrolInput) {
  return { ...toOption(option), Path: path`/enrol/${input.loginId}/${input.courseId}/${option.duration_id}` };
}
