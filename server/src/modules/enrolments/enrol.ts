import type { TenantContext } from '../../platform/context.ts';
import { isInTransaction, run } from '../../platform/db/transaction.ts';
import { codeOf } from '../../platform/error-code.ts';
import { Problem } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { coalesce } from '../../platform/load/batch.ts';
import { numberBeforeCommit } from '../events/write.ts';
import { type EnrolRow, enrolText, type Outcome } from './enrol-function.ts';
import { refusalOf } from './enrol-refusal.ts';
import { toEnrolment } from './record.ts';
import type { Enrolment, EnrolRequest } from './schemas.ts';

export type EnrolInput = EnrolRequest & { loginId: string; courseId: string; durationId?: string };

export type EnrolAnswer = { enrolment: Enrolment; isNew: boolean };

const maxAttempts = 5;

const enrolRow = coalesce<TenantContext, EnrolRow, Outcome>({
  name: 'enrol',
  group: (ctx) => ctx.tenantId,
  key: (row) => JSON.stringify([row.login_id, row.course_id]),
  run: enrolRows,
});

async function enrolRows(ctx: TenantContext, rows: EnrolRow[]): Promise<Outcome[]> {
  const isLast = !isInTransaction(ctx);
  if (!isLast) numberBeforeCommit(ctx, [ctx.tenantId]);
  const outcomes: Outcome[] = [];
  let left = rows.map((row, n) => ({ n, ...row }));
  while (left.length > 0) {
    const values = [ctx.tenantId, JSON.stringify(left), ctx.now(), isLast];
    const found = await run<Outcome>(ctx, { name: 'enrol', text: enrolText, values });
    const later = new Set(found.filter(({ action }) => action === 'later').map(({ n }) => n));
    outcomes.push(...found.filter(({ n }) => !later.has(n)));
    left = left.filter(({ n }) => later.has(n));
  }
  return outcomes.sort((a, b) => a.n - b.n);
}

/** Enrols a user on a course. `IfEnrolled` decides what happens to a current enrolment. */
export async function enrol(ctx: TenantContext, input: EnrolInput): Promise<EnrolAnswer> {
  const row = rowOf(ctx, input);
  // The next attempt sees what another node changed during the statement.
  let outcome = await enrolRow(ctx, row).catch(ignoreRace);
  for (let attempt = 1; attempt < maxAttempts && (!outcome || lostRace(outcome, input)); attempt++)
    outcome = await enrolRow(ctx, row).catch(ignoreRace);
  return answerOf(ctx, input, outcome);
}

/** PostgreSQL errors: a newer enrolment conflicts with the extended one (unique violation), or a deadlock. */
function ignoreRace(error: unknown): null {
  if (['23505', '40P01', '23503'].includes(codeOf(error))) return null;
  throw error;
}

function lostRace(outcome: Outcome, input: EnrolInput): boolean {
  return outcome.enroll_id === null && !refusalOf(outcome, input);
}

/**
 * Enrols one user on different courses in the caller's transaction, which must be rolled back if this throws, so that
 * either all succeed or none. Never coalesced with other callers' rows.
 */
export async function enrolInTransaction(ctx: TenantContext, inputs: EnrolInput[]): Promise<EnrolAnswer[]> {
  const rows = inputs.map((input, n) => ({ input, n, row: rowOf(ctx, input) }));
  const outcomes = await enrolRows(
    ctx,
    rows.map(({ row }) => row),
  );
  const raced = rows.filter(({ input, n }) => lostRace(outcomes[n] as Outcome, input));
  for (const { n, row } of raced) outcomes.splice(n, 1, ...(await enrolRows(ctx, [row])));
  return rows.map(({ input, n }) => answerOf(ctx, input, outcomes[n] as Outcome));
}

function rowOf(ctx: TenantContext, input: EnrolInput): EnrolRow {
  const now = ctx.now();
  return {
    enroll_id: newId(now),
    first_event: newId(now),
    second_event: newId(now),
    login_id: input.loginId,
    course_id: input.courseId,
    duration_id: input.durationId ?? null,
    if_enrolled: input.IfEnrolled ?? 'return',
    reference: input.Reference ?? null,
    metadata: input.Metadata ?? null,
  };
}

function answerOf(ctx: TenantContext, input: EnrolInput, outcome: Outcome | null): EnrolAnswer {
  const refused = outcome && refusalOf(outcome, input);
  if (refused) throw refused;
  if (!outcome || outcome.enroll_id === null)
    throw new Problem('unavailable', 'The enrolment is being changed by another request. Try again.', {
      retryAfter: 1,
    });
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
    isNew: outcome.action !== 'keep' && outcome.action !== 'extend',
  };
}
