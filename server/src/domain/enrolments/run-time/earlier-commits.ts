import type { Evidence, Standard } from '../../../../../standards/types.ts';
import { ownRows, updateOwn } from '../../../db/own-rows.ts';
import { run, transaction } from '../../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../../infra/context/context.ts';
import { appendEvents } from '../../events/append.ts';
import {
  type AttemptState,
  columnsOf,
  earlierParts,
  finishedAt,
  type PlayedAttempt,
  resultIn,
  resultOfAttempts,
  stateOf,
  stateWith,
} from '../record/states.ts';
import type { ProgressFacts } from './progress-cache.ts';
import { ifNewer, type Progress } from './write-progress.ts';

/** An attempt that had already ended when one of its launches sent another commit. */
export type EarlierAttempt = {
  number: number;
  result: Evidence;
  finishedAt: Date | null;
  discarded: boolean;
  /** The attempts since the last reset. */
  attempts: (PlayedAttempt & { number: number })[];
};

type LaunchProgressFacts = ProgressFacts & { launch: number };
type AttemptRow = {
  number: number;
  release_id: string | null;
  first_launch: number;
  last_launch: number;
  finished_at: Date | null;
  discarded: boolean;
  result: Evidence;
};

const attemptsText = `
select attempt.number, attempt.release_id, attempt.first_launch, attempt.last_launch, attempt.finished_at, attempt.discarded, attempt.result
from earlier_attempt attempt where attempt.tenant_id = $1 and attempt.enroll_id = $2
  and (not attempt.discarded or $3::integer between attempt.first_launch and attempt.last_launch)
order by attempt.number`;

/** Returns the attempts that can still count, and the attempt of the launch. */
export function readEarlierAttempts(
  ctx: TenantContext,
  { enrollId, launch }: { enrollId: string; launch: number | null },
): Promise<AttemptRow[]> {
  return run<AttemptRow>(ctx, attemptsText, [ctx.tenantId, enrollId, launch]);
}

/** The attempts since the last reset. */
export function countingOf(attempts: readonly AttemptRow[]): (PlayedAttempt & { number: number })[] {
  const counting = attempts.filter(({ discarded }) => !discarded);
  return counting.map(({ number, result, finished_at }) => ({
    number,
    result,
    isFinished: finished_at !== null,
  }));
}

/**
 * A launch belongs to the attempt in which it started. If another attempt has started since, the
 * launch's late commits still count for the earlier one.
 */
export async function withAttempt<F extends LaunchProgressFacts>(
  ctx: TenantContext,
  facts: F,
  { enrollId }: { enrollId: string },
): Promise<F & { earlier?: EarlierAttempt }> {
  if (facts.launch < 1 || facts.launch > facts.attempt_launch) return facts;
  const attempts = await readEarlierAttempts(ctx, { enrollId, launch: facts.launch });
  const own = attempts.find(
    ({ first_launch, last_launch }) => first_launch <= facts.launch && facts.launch <= last_launch,
  );
  if (!own) return facts;
  const { number, release_id, result, finished_at, discarded } = own;
  const units = await ownRows(ctx, 'earlier_unit', { enroll_id: enrollId, number })
    .select(['unit_id', 'evidence', 'bytes'])
    .execute();
  return {
    ...facts,
    release_id,
    // The cast is safe: only commits write the column.
    units: Object.fromEntries(units.map(({ unit_id, evidence }) => [unit_id, evidence as Evidence])),
    sizes: Object.fromEntries(units.map(({ unit_id, bytes }) => [unit_id, bytes])),
    earlier: { number, result, finishedAt: finished_at, discarded, attempts: countingOf(attempts) },
  };
}

type At = { standard: Standard; now: Date };
type Counted = { state: AttemptState | null; course: Evidence; finishedAt: Date | null };

/** Returns the effect of a commit's result on the enrolment. */
export function withResult(
  facts: ProgressFacts & { earlier?: EarlierAttempt },
  result: Evidence,
  at: At,
): Counted {
  return facts.earlier
    ? withEarlierResult(facts, facts.earlier, result, at)
    : withCurrentResult(facts, result, at);
}

function withCurrentResult(facts: ProgressFacts, result: Evidence, at: At): Counted {
  const state = stateWith(facts, result, at);
  const course = state ? resultOfAttempts(facts.attempt_rules, state) : result;
  return { state, course, finishedAt: state?.FinishedAt ? new Date(state.FinishedAt) : null };
}

function withEarlierResult(facts: ProgressFacts, earlier: EarlierAttempt, result: Evidence, at: At): Counted {
  const end = finishedAt(earlier.finishedAt, result, at);
  const stored = facts.attempt_state as AttemptState | null;
  if (earlier.discarded) return { state: stored, course: resultIn(facts), finishedAt: end };
  const attempts = earlier.attempts.map((attempt) =>
    attempt.number === earlier.number ? { result, isFinished: end !== null } : attempt,
  );
  const state = { ...stateOf(facts), ...earlierParts(facts.attempt_rules, attempts) };
  return { state, course: resultOfAttempts(facts.attempt_rules, state), finishedAt: end };
}

type EarlierProgress = Progress & { earlier: EarlierAttempt };

/** Returns the time at which the commit was written; null if another change came first. */
export function writeEarlier(ctx: TenantContext, progress: EarlierProgress): Promise<Date | null> {
  return transaction(ctx, async (ctx) => {
    const now = tenantNow(ctx);
    const { enrollId } = progress;
    const moved = await updateOwn(ctx, 'enrolment', {
      enroll_id: enrollId,
      revision: progress.expectedRevision,
      status: progress.expectedStatus,
    })
      .set((row) => ({
        ...columnsOf(progress.course),
        commits: row.fn<number>('greatest', ['commits', row.val(progress.number)]),
        revision: row('revision', '+', 1),
        status: progress.status,
        completed_at: progress.completedAt,
        attempt_state: progress.attemptState && JSON.stringify(progress.attemptState),
        changed_at: now,
      }))
      .returning(['user_id', 'course_id'])
      .executeTakeFirst();
    if (!moved || moved.user_id === null) return null;
    await updateOwn(ctx, 'earlier_attempt', { enroll_id: enrollId, number: progress.earlier.number })
      .set({ result: JSON.stringify(progress.attemptResult), finished_at: progress.attemptFinishedAt })
      .execute();
    await writeUnit(ctx, progress);
    await writeCommit(ctx, progress);
    const about = { userId: moved.user_id, enrollId, courseId: moved.course_id };
    await appendEvents(
      ctx,
      progress.events.map((event) => ({ ...event, ...about })),
    );
    return now;
  });
}

const unitText = `
insert into earlier_unit as unit
  (tenant_id, enroll_id, number, unit_id, launch, commit_number, data, bytes, evidence, updated_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
on conflict (tenant_id, enroll_id, number, unit_id) do update set
  ${['launch', 'commit_number', 'data', 'bytes'].map(ifNewer).join(',\n  ')},
  evidence = excluded.evidence, updated_at = excluded.updated_at`;

async function writeUnit(ctx: TenantContext, progress: EarlierProgress): Promise<void> {
  const { enrollId, earlier, unitId, launch, number, bytes } = progress;
  const stored = [progress.json, bytes, JSON.stringify(progress.evidence), tenantNow(ctx)];
  await run(ctx, unitText, [ctx.tenantId, enrollId, earlier.number, unitId, launch, number, ...stored]);
}

async function writeCommit(ctx: TenantContext, progress: EarlierProgress): Promise<void> {
  const { Supports: _, ...evidence } = progress.evidence;
  const commit = {
    body_hash: progress.bodyHash,
    unit_id: progress.unitId,
    evidence: JSON.stringify(evidence),
    warnings: progress.warnings,
    claimed: progress.claimed === null ? null : JSON.stringify(progress.claimed),
    committed_at: tenantNow(ctx),
    refused: null,
  };
  const { enrollId: enroll_id, launch, number } = progress;
  await ctx.db
    .insertInto('run_time_commit')
    .values({ tenant_id: ctx.tenantId, enroll_id, launch, number, ...commit })
    .onConflict((conflict) =>
      conflict.columns(['tenant_id', 'enroll_id', 'launch', 'number']).doUpdateSet(commit),
    )
    .execute();
}
