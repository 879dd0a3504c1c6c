import { transaction } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { asService } from '../../infra/context/scopes.ts';
import { Problem } from '../../lib/errors.ts';
import { enrolInTransaction } from '../enrolments/enrol.ts';
import { startLaunch } from '../enrolments/run-time/start.ts';
import { isPartRule, readParts } from './explain-parts.ts';
import { readPathState } from './read-path.ts';

type Opening = {
  enrollId: string;
  courseId: string;
  returnUrl: string | null;
  userAgent: string | null;
};

/**
 * Opens a course of a path: counts a launch of the path, which starts its access period, and enrols the learner on the
 * course unless they can continue an enrolment. Returns the EnrollID; null if a rule closes the course.
 */
export async function openPart(
  ctx: TenantContext,
  { enrollId, courseId, returnUrl, userAgent }: Opening,
): Promise<string | null> {
  const { shown } = await readParts(ctx, { enrollId });
  const part = shown.find(({ CourseID }) => CourseID === courseId);
  if (!part || part.Status === 'closed') return null;
  // Reject before the launch is counted.
  if (part.Status !== 'completed') await startLaunch(ctx, { enrollId, returnUrl, userAgent });
  if (part.EnrollID !== null) return part.EnrollID;
  // Completed elsewhere: there is nothing to look at here.
  if (part.Status === 'completed') return null;
  try {
    return await enrolOnPart(asService(ctx), { enrollId, courseId });
  } catch (error) {
    // The last seat was taken in the meantime.
    if (error instanceof Problem && isPartRule(error.code)) return null;
    throw error;
  }
}

/** The lock makes an end of the path wait, and then find the part. */
function enrolOnPart(
  ctx: TenantContext,
  { enrollId, courseId }: Pick<Opening, 'enrollId' | 'courseId'>,
): Promise<string | null> {
  return transaction(ctx, async (ctx) => {
    const known = await readPathState(ctx, { enrollId, isLocked: true });
    if (!known || known.path.ended_at !== null) return null;
    const { login_id: loginId, expires_at, due_at } = known.path;
    const durationId = known.rule.Steps.find(({ CourseIDs }) => CourseIDs.includes(courseId))?.DurationID;
    // A current enrolment that could be continued would have been returned, so its completion no longer counts.
    const IfEnrolled = known.parts.has(courseId) ? 'return' : 'renew';
    const [enrolled] = await enrolInTransaction(ctx, [
      {
        ...{ loginId, courseId, pathEnrollId: enrollId, IfEnrolled },
        ...(durationId != null && { durationId }),
        ...(expires_at && { ExpiresAt: expires_at.toISOString() }),
        ...(due_at && { DueAt: due_at.toISOString() }),
      },
    ]);
    return enrolled?.enrolment.EnrollID ?? null;
  });
}
