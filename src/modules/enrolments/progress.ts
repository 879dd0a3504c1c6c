import type { TenantContext } from '../../platform/context.ts';
import { Problem } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { playedBy } from '../catalogue/playable.ts';
import type { RootEvidence } from '../standards/evidence.ts';
import { reachedWith } from '../standards/reached.ts';
import type { Evidence, RunTimeData, Standard } from '../standards/types.ts';
import { type ProgressFacts, readProgress, writeProgress } from './progress-statements.ts';
import { happened, overrideOf, withOverride } from './result.ts';
import { statusFollowing } from './states.ts';

export type CommitInput = {
  enrollId: string;
  launch: number;
  number: number;
  unitId: string;
  data: RunTimeData;
  treeState: string | null;
  root: RootEvidence | null;
  exit: boolean;
};

export type CommitReceipt = Omit<Evidence, 'TotalSeconds'> & { Number: number; Status: string };

function superseded(): Problem {
  return new Problem(
    'session_superseded',
    'The course was opened again elsewhere. Go on there, or open it here anew.',
  );
}

/**
 * Takes one numbered commit. One that is not newer than the last of its unit changes nothing and is answered with the
 * state: commits of different units may overtake each other when a page leaves, and none may be lost for it. A launch
 * that is not the newest is refused. Two statements: read what decides, write everything at once.
 */
export async function commitProgress(ctx: TenantContext, input: CommitInput): Promise<CommitReceipt> {
  for (let attempt = 0; attempt < 10; attempt++) {
    const facts = await readProgress(ctx, input.enrollId);
    if (!facts) throw new Problem('session_ended', 'The enrolment no longer exists.');
    if (facts.launches !== input.launch) throw superseded();
    const taken = facts.units?.[input.unitId]?.number ?? 0;
    if (input.number <= taken) return receiptOf(facts, input.number);
    const written = await writeProgress(ctx, await progressAfter(ctx, facts, input));
    if (written) return receiptOf(written, input.number);
  }
  throw new Problem('unavailable', 'The enrolment is being changed by others. Send the commit again.', {
    retryAfter: 1,
  });
}

async function progressAfter(ctx: TenantContext, facts: ProgressFacts, input: CommitInput) {
  const now = ctx.now();
  const before = evidenceOf(facts);
  const known = Object.entries(facts.units ?? {}).map(([unitId, unit]) => [unitId, unit.evidence] as const);
  const reached = { units: Object.fromEntries(known), course: before };
  const played = await playedBy(ctx, facts.release_id);
  const { unit: evidence, course } = reachedWith(played, reached, input);
  const override = overrideOf(facts);
  const counting = withOverride(course, override);
  const status = statusFollowing(facts, counting.Completion);
  const completed = status !== facts.status && status === 'completed';
  const types = happened(withOverride(before, override), counting, completed);
  return {
    ...input,
    evidence,
    course,
    status,
    completedAt: facts.completed_at ?? (course.Completion === 'completed' ? now : null),
    warnings: warningsOf(played.standard, input.data),
    events: types.map((type) => ({ id: newId(now), type, data: { Status: status, ...counting } })),
    isNewest: input.number > facts.commits,
    expectedRevision: facts.revision,
    expectedStatus: facts.status,
  };
}

function warningsOf(standard: Standard, data: RunTimeData): string[] | null {
  const length = data['cmi.suspend_data']?.length ?? 0;
  if (standard !== 'scorm12' || length <= 4096) return null;
  return [`cmi.suspend_data has ${length} characters; SCORM 1.2 promises 4,096. All of them were kept.`];
}

function evidenceOf(facts: ProgressFacts): Evidence {
  return {
    Completion: facts.completion as Evidence['Completion'],
    Success: facts.success as Evidence['Success'],
    Score: facts.score,
    Progress: facts.progress,
    TotalSeconds: facts.total_seconds,
  };
}

function receiptOf(facts: ProgressFacts, number: number): CommitReceipt {
  const { TotalSeconds: _, ...evidence } = withOverride(evidenceOf(facts), overrideOf(facts));
  return { Number: number, Status: facts.status, ...evidence };
}
