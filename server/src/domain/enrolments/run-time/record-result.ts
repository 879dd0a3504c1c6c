import type { RunTimeData } from '../../../../../standards/types.ts';
import { type TenantContext, tenantNow } from '../../../infra/context/context.ts';
import { Problem } from '../../../lib/errors.ts';
import { measure, reportNotStored } from './commit-data.ts';
import { type CommitInput, progressAfter } from './progress.ts';
import { commitRejections, forgetProgress, readProgressNow } from './progress-cache.ts';
import { writeProgressNow } from './write-progress.ts';

/** No commit has this number, so the report is never mistaken for a repeated commit. */
const noNumber = 2_000_000_001;

/**
 * Stores a unit's report as a commit of the service: updates the evidence and the enrolment, and writes
 * events. Runs in the caller's transaction, which has locked the enrolment. Returns false if the
 * data exceeds a limit. In that case, it is not stored, but the result counts.
 */
export async function recordUnit(
  ctx: TenantContext,
  recorded: { enrollId: string; launch: number; unitId: string; data: RunTimeData } & Partial<
    Pick<CommitInput, 'isDataOmitted' | 'refused'>
  >,
): Promise<boolean> {
  const { enrollId, launch } = recorded;
  const facts = await readProgressNow(ctx, { enrollId, launch, launchId: null, number: noNumber });
  if (!facts || facts.user_id === null || facts.enabled === null)
    throw new Problem('enrolment_erased', commitRejections.enrolment_erased);
  const { user_id, enabled, last_seen_at } = facts;
  const commit = {
    ...{ isDataOmitted: false, refused: [] },
    ...recorded,
    ...{
      number: facts.commits + 1,
      launchId: null,
      treeState: null,
      root: null,
      exit: false,
    },
  };
  const isLive = last_seen_at !== null;
  const input = { ...commit, ...measure(commit), isLive, isSeen: isLive, isSpanning: true };
  const known = { ...facts, user_id, enabled, last_seen_at: last_seen_at ?? tenantNow(ctx), launch };
  const progress = { ...(await progressAfter(ctx, known, input)), expectedChange: null };
  forgetProgress(ctx, enrollId);
  if ((await writeProgressNow(ctx, progress)) !== null) {
    if (progress.bytes === 0) reportNotStored(ctx, recorded);
    return progress.bytes > 0;
  }
  throw new Problem(
    'unavailable',
    'The enrolment is being changed by another request. Send the report again.',
    { retryAfter: 1 },
  );
}
