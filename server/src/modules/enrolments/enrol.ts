import { tenantNow } from '../../platform/clocks.ts';
import type { TenantContext } from '../../platform/context.ts';
import { isInTransaction, run } from '../../platform/db/transaction.ts';
import { codeOf } from '../../platform/error-code.ts';
import { Problem } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { coalesce } from '../../platform/load/coalesce.ts';
import { partOfState } from '../../platform/node-state.ts';
import { countCreated } from '../../platform/operations/tenant-growth.ts';
import { Postponed } from '../../platform/retries/once.ts';
import { callWithPositions, numberBeforeCommit } from '../events/write.ts';
import { enrolText } from './enrol-function.ts';
import { refusalOf } from './enrol-refusal.ts';
import type { EnrolRow, Outcome } from './enrol-row.ts';
import { toEnrolment } from './record.ts';
import type { Enrolment, EnrolRequest } from './schemas.ts';

export type EnrolInput = EnrolRequest & { loginId: string; courseId: string; durationId?: string };

export type EnrolAnswer = { enrolment: Enrolment; isNew: boolean };

const maxAttempts = 5;

/** The error of a row whose transaction failed after earlier ones were committed. */
type Failure = { cause: unknown };

const enrolRow = coalesce<TenantContext, EnrolRow, Outcome | Failure | null>({
  name: 'enrol',
  group: (ctx) => ctx.tenantId,
  key: (row) => JSON.stringify([row.login_id, row.course_id]),
  run: (ctx, rows) => {
    if (isInTransaction(ctx)) return enrolSome(ctx, rows);
    return ctx.isDryRun ? enrolRows(ctx, rows) : enrolAndCommit(ctx, rows);
  },
});

/**
 * The effects of earlier calls of the database function in this transaction. `planned` is null
 * unless the call is a plan.
 */
type Before = { processed: number; planned: string[] | null };

async function callEnrol(
  ctx: TenantContext,
  rows: EnrolRow[],
  { processed, planned }: Before,
  isLast = !isInTransaction(ctx),
): Promise<Outcome[]> {
  if (!isLast) numberBeforeCommit(ctx, [ctx.tenantId]);
  const values = [ctx.tenantId, JSON.stringify(rows), tenantNow(ctx), isLast, processed, planned];
  const outcomes = await run<Outcome>(ctx, { name: 'enrol', text: enrolText, values });
  const created = outcomes.filter((outcome) => outcome.enroll_id !== null && isNew(outcome));
  countCreated(ctx, ['enrolment'], created.length);
  return outcomes;
}

/** Enrols all rows in the caller's transaction or in a dry run, which may take several calls. */
async function enrolRows(ctx: TenantContext, rows: EnrolRow[]): Promise<Outcome[]> {
  const outcomes = new Map<number, Outcome>();
  const before = { processed: 0, planned: ctx.isDryRun ? [] : null };
  while (outcomes.size < rows.length) {
    const found = await callEnrol(ctx, without(rows, outcomes), before);
    for (const outcome of found) outcomes.set(outcome.n, outcome);
  }
  return [...outcomes.values()].sort((a, b) => a.n - b.n);
}

const without = (rows: EnrolRow[], done: ReadonlyMap<number, unknown>) =>
  rows.flatMap((row, n) => (done.has(n) ? [] : [{ n, ...row }]));

/**
 * Enrols all rows. Rows that take seats may need several transactions. If one of them fails, its rows run again one
 * by one, and those of the transactions before it keep their outcomes, because they are committed.
 */
async function enrolAndCommit(ctx: TenantContext, rows: EnrolRow[]): Promise<(Outcome | Failure)[]> {
  const outcomes = new Map<number, Outcome | Failure>();
  const before = { processed: 0, planned: null };
  while (outcomes.size < rows.length) {
    const left = without(rows, outcomes);
    try {
      for (const outcome of await callEnrol(ctx, left, before)) outcomes.set(outcome.n, outcome);
    } catch (error) {
      if (outcomes.size === 0) throw error;
      for (const row of left)
        outcomes.set(row.n, await callEnrol(ctx, [row], before).then(onlyOutcome, (cause) => ({ cause })));
    }
  }
  return rows.map((_, n) => outcomes.get(n) as Outcome | Failure);
}

const onlyOutcome = ([outcome]: Outcome[]) => outcome as Outcome;

const hasEvent = ({ enroll_id, action }: Outcome) => enroll_id !== null && action !== 'keep';

const isNew = ({ action }: Outcome) => action !== 'keep' && action !== 'extend';

/** The key of a new enrolment's seat, in the format of the database function. */
function seatOf(outcome: Outcome): string[] {
  return outcome.enroll_id !== null && isNew(outcome) ? [`${outcome.course_id}\n${outcome.duration_id}`] : [];
}

/**
 * Counts the rows and seats of the current transaction. Each shared transaction and each dry run
 * has its own `ctx.state`.
 */
const transactionProgress = partOfState('enrolled_in_transaction', () => ({
  processed: 0,
  planned: [] as string[],
}));

/**
 * Enrols rows of several callers in one transaction. The result of a row is null if the row must
 * wait for the next transaction.
 */
async function enrolSome(ctx: TenantContext, rows: EnrolRow[]): Promise<(Outcome | null)[]> {
  const done = transactionProgress(ctx);
  const numbered = rows.map((row, n) => ({ n, ...row }));
  const before = ctx.isDryRun ? { ...done, processed: 0 } : { ...done, planned: null };
  const results: (Outcome | null)[] = rows.map(() => null);
  const call = (isLast: boolean) => callEnrol(ctx, numbered, before, isLast);
  for (const outcome of (await callWithPositions(ctx, true, call, hasEvent)) ?? []) {
    results[outcome.n] = outcome;
    done.processed += 1;
    done.planned.push(...seatOf(outcome));
  }
  return results;
}

/** Enrols a user on a course. `IfEnrolled` decides what happens to a current enrolment. */
export async function enrol(ctx: TenantContext, input: EnrolInput): Promise<EnrolAnswer> {
  const row = rowOf(ctx, input);
  // Retry, because the next statement sees the changes that another node made during this statement.
  let outcome = await tryToEnrol(ctx, row).catch(ignoreRace);
  for (let attempt = 1; attempt < maxAttempts && (!outcome || lostRace(outcome, input)); attempt++)
    outcome = await tryToEnrol(ctx, row).catch(ignoreRace);
  return answerOf(ctx, input, outcome);
}

async function tryToEnrol(ctx: TenantContext, row: EnrolRow): Promise<Outcome> {
  const outcome = await enrolRow(ctx, row);
  if (!outcome) throw new Postponed();
  if ('cause' in outcome) throw outcome.cause;
  return outcome;
}

/**
 * Ignores PostgreSQL errors after which a retry may succeed: a newer enrolment exists (unique
 * violation), the user was erased (foreign key violation), or a deadlock occurred.
 */
function ignoreRace(error: unknown): null {
  if (['23505', '40P01', '23503'].includes(codeOf(error))) return null;
  throw error;
}

function lostRace(outcome: Outcome, input: EnrolInput): boolean {
  return outcome.enroll_id === null && !refusalOf(outcome, input);
}

/**
 * Enrols one user on several courses in the caller's transaction. If this throws, the caller must roll back,
 * so that either all enrolments are created or none. Rows are never coalesced with those of other callers.
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
    isNew: isNew(outcome),
  };
}
