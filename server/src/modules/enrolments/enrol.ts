import { tenantNow } from '../../platform/clocks.ts';
import type { Context, TenantContext } from '../../platform/context.ts';
import { Problem } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { byTenant } from '../../platform/load/queue.ts';
import { partOfState } from '../../platform/node-state.ts';
import { perform } from '../../platform/retries/once.ts';
import {
  Outdated,
  openVerb,
  type Submission,
  submitInside,
  type VerbCall,
} from '../../platform/retries/verb.ts';
import { numberBeforeCommit } from '../events/write.ts';
import { enrolForTenants } from './enrol-function.ts';
import { refusalOf } from './enrol-refusal.ts';
import type { EnrolRow, Outcome } from './enrol-row.ts';
import { toEnrolment } from './record.ts';
import type { Enrolment, EnrolRequest } from './schemas.ts';

export type EnrolInput = EnrolRequest & { loginId: string; courseId: string; durationId?: string };

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
export function enrolling<T>(
  ctx: TenantContext,
  input: EnrolInput,
  answer: (enrolled: Enrolled) => T,
): Submission<T> {
  return submission(rowOf(ctx, input), (outcome) => answer(enrolledBy(ctx, input, outcome)));
}

export function enrol(ctx: TenantContext, input: EnrolInput): Promise<Enrolled> {
  return perform(ctx, async () => enrolling(ctx, input, (enrolled) => enrolled));
}

/**
 * Enrols one user on several courses in the caller's transaction. If this throws, the caller must roll back,
 * so that either all enrolments are created or none.
 */
export async function enrolInTransaction(ctx: TenantContext, inputs: EnrolInput[]): Promise<Enrolled[]> {
  const attempt = (some: readonly EnrolInput[]) =>
    submitInside(
      ctx,
      some.map((input) => enrolling(ctx, input, (enrolled) => enrolled)),
    );
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

function rowOf(ctx: TenantContext, input: EnrolInput): EnrolRow {
  const now = tenantNow(ctx);
  if (input.ExpiresAt !== undefined && new Date(input.ExpiresAt) <= now)
    throw new Problem('validation_failed', 'ExpiresAt must be in the future.', { param: 'ExpiresAt' });
  return {
    enroll_id: newId(now),
    first_event: newId(now),
    second_event: newId(now),
    login_id: input.loginId,
    course_id: input.courseId,
    duration_id: input.durationId ?? null,
    if_enrolled: input.IfEnrolled ?? 'return',
    expires_at: input.ExpiresAt === undefined ? null : new Date(input.ExpiresAt).toISOString(),
    reference: input.Reference ?? null,
    metadata: input.Metadata ?? null,
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
      {
        EnrollID: outcome.enroll_id,
      },
    );
  return {
    enrolment: toEnrolment(ctx, { ...outcome, login_id: input.loginId }),
    isNew: isNew(outcome),
  };
}
