import { explain } from '../../../../../scorm/data-model/codes.ts';
import type { Problem as ValueProblem } from '../../../../../scorm/data-model/types.ts';
import { type ChangesSince, withChanges } from '../../../../../standards/changed-data.ts';
import { nothing, type RootEvidence } from '../../../../../standards/evidence.ts';
import { type Claim, findUnit, resultsWith } from '../../../../../standards/results.ts';
import type { Evidence, RunTimeData, Standard } from '../../../../../standards/types.ts';
import { type TenantContext, tenantNow } from '../../../infra/context/context.ts';
import { Problem } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import { isStorable } from '../../../lib/unicode.ts';
import { playableContent, unitOf } from '../../catalogue/playable.ts';
import { knownTenant } from '../../tenants/tenants.ts';
import {
  eventsFor,
  overrideOf,
  resultIn,
  stateData,
  stateOf,
  statusFollowing,
  withOverride,
} from '../record/states.ts';
import { readStoredUnit } from '../record/units.ts';
import {
  acceptedDeviations,
  checkedResults,
  fits,
  measure,
  notStoredWarning,
  reportNotStored,
  sharedBy,
  unsupportedWarning,
} from './commit-data.ts';
import { type EarlierAttempt, withAttempt, withResult, writeEarlier } from './earlier-commits.ts';
import {
  type CachedProgress,
  cacheProgress,
  commitRejection,
  commitRejections,
  forgetProgress,
  isOverdue,
  lostLaunchNumber,
  lostLaunchStart,
  type ProgressFacts,
  readProgress,
  type SessionEnd,
  type SessionFacts,
  sessionEnd,
  sessionEnds,
  takeProgress,
  writeRefused,
} from './progress-cache.ts';
import { type Progress, writeProgress } from './write-progress.ts';

export type CommitInput = {
  enrollId: string;
  launch: number;
  /** Null for results that an AU reports to the service. */
  launchId: string | null;
  number: number;
  unitId: string;
  data: RunTimeData;
  /** If present, `data` has only the changes. */
  base?: ChangesSince['base'];
  treeState: string | null;
  root: RootEvidence | null;
  exit: boolean;
  /** Whether `data` lacks everything that is not a result. The data stored before is then kept. */
  isDataOmitted: boolean;
  /** Values that the content set but that were not accepted. */
  refused: Refusal[];
};

type Refusal = { Element: string; Value: string; Problem: ValueProblem };

/** `Ended`: why the session accepts no commits made after its end; null if it is still open. */
export type CommitReceipt = Omit<Evidence, 'TotalSeconds'> & {
  Number: number;
  Status: string;
  Ended: SessionEnd | null;
  /** The result counts, but not all of the run-time data was stored. */
  Warning?: 'data_not_stored';
};

type KnownFacts = ProgressFacts & SessionFacts & { launch: number; user_id: string };
/** `earlier`: the attempt to which the launch belongs, if another attempt has started since. */
type AttemptFacts = KnownFacts & { earlier?: EarlierAttempt };

/** How far a commit number may be ahead of the expected number. */
const maxAhead = 1_000;

/**
 * Stores a numbered commit once. Late commits and those of a superseded launch also count: results are
 * merged, and the newest launch's run-time data is kept. One statement reads all data, and another writes it.
 * Later commits of a session usually need no read, because the data is cached.
 */
export async function commitProgress(ctx: TenantContext, input: CommitInput): Promise<CommitReceipt> {
  try {
    return await storeCommit(ctx, input);
  } catch (error) {
    if (error instanceof Problem) ctx.counters.commitsRejected.inc({ code: error.code });
    throw error;
  }
}

async function storeCommit(ctx: TenantContext, given: CommitInput): Promise<CommitReceipt> {
  for (let attempt = 0; attempt < 10; attempt++) {
    const cached = attempt === 0 ? takeProgress(ctx, given) : null;
    const facts: AttemptFacts =
      cached ?? (await withAttempt(ctx, knownLaunch(await readProgress(ctx, given), given), given));
    const sent = await withAllData(ctx, facts, { given, cached });
    const measured = measure(sent);
    const { bodyHash } = measured;
    const ended = sessionEnd(facts, facts.launch, tenantNow(ctx));
    if (facts.taken_by === '' || facts.taken_by === bodyHash)
      return receiptOf({ ...facts, course: resultIn(facts) }, sent.number, ended);
    const isLive = ended === null;
    const isSeen = isLive && isOverdue(facts.last_seen_at, tenantNow(ctx));
    const input = {
      ...sent,
      ...measured,
      launch: facts.launch,
      isLive,
      isSeen,
      isSpanning: spans(sent, cached),
    };
    rejectNumber(facts, input);
    await rejectPermanently(ctx, facts, input);
    const progress = {
      ...(await progressAfter(ctx, facts, input)),
      expectedChange: cached?.changedAt ?? null,
    };
    forgetProgress(ctx, sent.enrollId);
    const writtenAt = facts.earlier
      ? await writeEarlier(ctx, { ...progress, earlier: facts.earlier })
      : await writeProgress(ctx, progress);
    if (writtenAt === null) continue;
    if (progress.bytes > 0 && ended === null && !sent.exit && sent.number > facts.commits)
      cacheProgress(ctx, sent.enrollId, factsAfter(facts, progress, writtenAt));
    if (ended !== null) ctx.counters.lateCommits.inc();
    const { status, course } = progress;
    const receipt = receiptOf({ status, course, override: facts.override }, input.number, ended);
    if (progress.bytes > 0 && !sent.refused.some(isTooLarge)) return receipt;
    reportNotStored(ctx, sent);
    return { ...receipt, Warning: 'data_not_stored' };
  }
  throw new Problem(
    'unavailable',
    'The enrolment is being changed by another request. Send the commit again.',
    { retryAfter: 1 },
  );
}

/**
 * A commit with all data of its unit. Reads the data after the facts, so that a change to it in between also changes the
 * revision.
 */
async function withAllData(
  ctx: TenantContext,
  facts: AttemptFacts,
  { given, cached }: { given: CommitInput; cached: CachedProgress | null },
): Promise<CommitInput> {
  const { base, ...sent } = given;
  if (!base) return sent;
  const isCached = cached?.stored.unitId === sent.unitId;
  const stored = isCached ? cached.stored : await readStoredUnit(ctx, given);
  const data = stored?.launch === facts.launch ? withChanges(stored, { ...sent, base }) : null;
  if (data) return { ...sent, data };
  const detail = `Commit ${sent.number} has only the changes since commit ${base.number}, whose data is not stored. Send all data and no Base.`;
  throw new Problem('commit_base_unknown', detail, { param: 'Base' });
}

/** Whether the commit changes more than its unit. The cache has the commit before this one. */
const spans = ({ treeState, root, unitId }: CommitInput, cached: CachedProgress | null): boolean =>
  treeState !== null || root !== null || cached?.stored.unitId !== unitId;

/** Only an erasure is final. Records that are missing from a restored backup may reappear later. */
function knownLaunch(facts: ProgressFacts | null, { launch, launchId }: CommitInput): KnownFacts {
  if (!facts) throw new Problem('session_ended', 'The enrolment no longer exists.');
  const { user_id, enabled, last_seen_at } = facts;
  if (user_id === null || enabled === null)
    throw new Problem('enrolment_erased', commitRejections.enrolment_erased);
  if (last_seen_at !== null) return { ...facts, user_id, enabled, last_seen_at, launch };
  // If the restored enrolment was never launched, it has no release yet to evaluate results against.
  if (launchId === null || facts.launches === 0)
    throw new Problem('session_ended', sessionEnds.session_ended);
  const forgotten = { launch: lostLaunchNumber(launchId), last_seen_at: lostLaunchStart(launchId) };
  return { ...facts, user_id, enabled, ...forgotten };
}

/**
 * Rejects a number that belongs to another commit or is too far ahead. The page then resends its
 * commit with the expected number.
 */
function rejectNumber(facts: KnownFacts, { number }: CommitInput): void {
  const Expected = facts.commits + 1;
  const isTaken = facts.taken_by !== null;
  if (!isTaken && number <= Expected + maxAhead) return;
  const why = isTaken
    ? 'was already received with different content'
    : `is more than ${maxAhead} ahead of the last commit`;
  throw new Problem('commit_number_ahead', `Commit ${number} ${why}. Send it as number ${Expected}.`, {
    param: 'Number',
    Expected,
  });
}

/** Records a commit that can never count, so that the timeline shows it. */
async function rejectPermanently(ctx: TenantContext, facts: KnownFacts, input: CommitInput): Promise<void> {
  const now = tenantNow(ctx);
  const resumedAt = (await knownTenant.get(ctx, ctx.tenantId))?.resumedAt ?? null;
  const played = await playableContent(ctx, facts.release_id);
  const { enrollId, launch, number, unitId } = input;
  const unit = findUnit(played.tree.Units, unitId);
  const refused =
    commitRejection(facts, input, { now, lateDays: ctx.config.lateResultsDays, resumedAt }) ??
    (unit === null || unit.Kind === 'au' ? 'validation_failed' : null);
  if (refused === null) return;
  const claim = unit && resultsWith(played, { units: {}, course: nothing }, { ...input, unit });
  const { Supports: _, ...evidence } = claim?.unit ?? nothing;
  if (isStorable(unitId)) await writeRefused(ctx, { enrollId, launch, number, unitId, evidence, refused });
  if (refused !== 'validation_failed') throw new Problem(refused, commitRejections[refused]);
  const detail = unit
    ? 'This unit reports directly to the service, so its page cannot report for it.'
    : 'The course has no unit with this UnitID.';
  throw new Problem(refused, detail, { param: 'UnitID' });
}

export async function progressAfter<Input extends CommitInput & { bytes: number; json: string }>(
  ctx: TenantContext,
  facts: AttemptFacts,
  input: Input,
) {
  const now = tenantNow(ctx);
  const before = resultIn(facts);
  const played = await playableContent(ctx, facts.release_id);
  const reached = { units: facts.units ?? {}, course: facts.earlier?.result ?? stateOf(facts).Result };
  const claim = { ...input, unit: unitOf(played, input.unitId) };
  const {
    unit: evidence,
    course: result,
    unsupported,
  } = await checkedResults(ctx, facts, { played, reached, claim });
  const at = { standard: played.standard, now };
  const { state, course, finishedAt } = withResult(facts, result, at);
  const override = overrideOf(facts);
  const counting = withOverride(course, override);
  const status = statusFollowing(facts, counting.Completion);
  const completed = status !== facts.status && status === 'completed';
  const isStored = !input.isDataOmitted && fits(input, { ...facts.sizes, [input.unitId]: 0 });
  const types = eventsFor(withOverride(before, override), counting, completed);
  return {
    ...input,
    ...(isStored ? {} : { data: {}, json: '{}', bytes: 0 }),
    // Its values may contain characters that jsonb rejects.
    refused: [],
    shared: sharedBy(played.course, input.treeState),
    evidence,
    course,
    attemptState: state,
    attemptResult: result,
    attemptFinishedAt: finishedAt,
    status,
    completedAt: facts.completed_at ?? (course.Completion === 'completed' ? now : null),
    warnings: warningsOf(played.standard, { ...claim, isStored, isSupported: unsupported === null }),
    claimed: unsupported,
    events: [
      ...types.map((type) => ({
        id: newId(now),
        type,
        data: { ...stateData(status, counting), ...counting },
      })),
      ...attemptEvents(facts, result, finishedAt),
    ],
    expectedRevision: facts.revision,
    expectedStatus: facts.status,
  };
}

/** If there are rules for attempts, an event reports the end of each attempt. */
function attemptEvents(facts: AttemptFacts, result: Evidence, finishedAt: Date | null): Progress['events'] {
  const before = facts.earlier ? facts.earlier.finishedAt : stateOf(facts).FinishedAt;
  if (facts.attempt_rules === null || before !== null || finishedAt === null) return [];
  const Attempt = facts.earlier?.number ?? facts.attempt_number;
  const { Supports: _, ...Result } = result;
  return [{ id: newId(finishedAt), type: 'enrolment.attempt_finished', data: { Attempt, ...Result } }];
}

/** Caches the data for the next commit, so that it needs no read. */
function factsAfter(
  facts: KnownFacts,
  progress: Progress & Pick<CommitInput, 'launchId' | 'data'>,
  writtenAt: Date,
): CachedProgress {
  const { course, unitId, launch, number, data, bytes } = progress;
  return {
    ...facts,
    enabled: true,
    status: progress.status,
    completed_at: progress.completedAt,
    completion: course.Completion,
    success: course.Success,
    score: course.Score,
    progress: course.Progress,
    total_seconds: course.TotalSeconds,
    attempt_state: progress.attemptState,
    commits: number,
    revision: facts.revision + 1,
    last_seen_at: progress.isSeen ? writtenAt : facts.last_seen_at,
    units: { ...facts.units, [unitId]: progress.evidence },
    sizes: { ...facts.sizes, [unitId]: bytes },
    launchId: progress.launchId,
    changedAt: writtenAt,
    stored: { unitId, launch, number, data, bytes },
  };
}

function warningsOf(
  standard: Standard,
  {
    unit,
    data,
    refused,
    isStored,
    isSupported,
  }: Pick<Claim, 'unit' | 'data'> &
    Pick<CommitInput, 'refused'> & { isStored: boolean; isSupported: boolean },
): string[] | null {
  const length = data['cmi.suspend_data']?.length ?? 0;
  const warnings = [
    ...(isStored ? [] : [notStoredWarning]),
    ...(isSupported ? [] : [unsupportedWarning]),
    ...acceptedDeviations(standard, unit, data),
    ...refused.map(refusedWarning),
    ...(isStored && standard === 'scorm12' && length > 4096 ? [longDataWarning(length)] : []),
  ];
  return warnings.length > 0 ? warnings : null;
}

const longDataWarning = (length: number) =>
  `cmi.suspend_data has ${length} characters, but SCORM 1.2 guarantees only 4,096. All of them were stored.`;

/** As JSON, the value has no characters that PostgreSQL cannot store. */
const refusedWarning = ({ Element, Value, Problem: why }: Refusal) =>
  `A value that the course set was refused. ${explain(Element, why)}: ${JSON.stringify(Value)}.`;

const isTooLarge = ({ Problem: why }: Refusal) => why === 'too long' || why === 'no space';

type CurrentState = { status: string; course: Evidence; override: unknown };

export function receiptOf(state: CurrentState, number: number, ended: SessionEnd | null): CommitReceipt {
  const { TotalSeconds: _, ...evidence } = withOverride(state.course, overrideOf(state));
  return { Number: number, Status: state.status, ...evidence, Ended: ended };
}
