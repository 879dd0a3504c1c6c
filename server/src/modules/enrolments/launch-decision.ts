import { tenantNow } from '../../platform/clocks.ts';
import type { TenantContext } from '../../platform/context.ts';
import { isId } from '../../platform/ids.ts';
import { coalesceReads, wantedRows } from '../../platform/load/coalesce-reads.ts';
import { rulesOf } from '../catalogue/attempt-rules.ts';
import { playableContent } from '../catalogue/playable.ts';
import { type EnrolmentRow, enrolmentNotFound } from './record.ts';
import { decideAttempt, decideLaunch, mayReview } from './rules.ts';
import type { Explanation } from './schemas.ts';

export type LaunchDecision = Omit<Explanation, 'Claims' | 'Refused' | 'Unavailable' | 'Units'> & {
  CourseTitle: string;
  reason: string | null;
  /** The release that a launch plays; null if the course is a web page at a URL. */
  releaseId: string | null;
  /** Whether a launch starts another attempt. */
  startsAttempt: boolean;
  /** How many attempts the rules permit. */
  attemptLimit: number;
  isCompleted: boolean;
  /** Whether the latest attempt may be opened for review even though the course cannot be launched. */
  mayReview: boolean;
};

type AttemptColumns = (typeof attemptColumns)[number];
type Row = Pick<EnrolmentRow, AttemptColumns> & {
  status: string;
  expires_at: Date | null;
  release_id: string | null;
  course_id: string;
  enabled: boolean;
  login_id: string;
  title: string;
  url: string | null;
  course_status: string;
  course_release_id: string | null;
};

const attemptColumns = [
  'attempt_rules',
  'attempt_state',
  'completion',
  'success',
  'score',
  'progress',
  'total_seconds',
  'override',
] as const satisfies readonly (keyof EnrolmentRow)[];

const text = `
select wanted.n, ${attemptColumns.map((column) => `enrolment.${column}`).join(', ')}, enrolment.status, enrolment.expires_at, enrolment.release_id, enrolment.course_id, known.enabled,
  known.login_id, course.title, course.url, course.status as course_status, course.release_id as course_release_id
from ${wantedRows('enroll_id uuid')}
cross join lateral (
  select own.* from enrolment own where own.tenant_id = $1 and own.enroll_id = wanted.enroll_id limit 1
) enrolment
cross join lateral (
  select own.enabled, own.login_id from "user" own
  where own.tenant_id = $1 and own.user_id = enrolment.user_id limit 1
) known
cross join lateral (select own.* from course own where own.course_id = enrolment.course_id limit 1) course`;

const readFacts = coalesceReads<string, Row>({
  name: 'explain',
  text,
  item: (enrollId) => ({ enroll_id: enrollId }),
});

/**
 * Decides in one statement whether the learner can start now, and why. If `loginId` is undefined,
 * the enrolment may belong to any user.
 */
export async function explain(
  ctx: TenantContext,
  input: { enrollId: string; loginId?: string },
): Promise<LaunchDecision> {
  const row = isId(input.enrollId) ? await readFacts(ctx, input.enrollId) : null;
  if (!row || (input.loginId !== undefined && row.login_id !== input.loginId)) throw enrolmentNotFound();
  const now = tenantNow(ctx);
  const attempt = decideAttempt(row, now);
  const decision = decideLaunch(
    {
      userEnabled: row.enabled,
      withdrawn: row.status === 'withdrawn',
      expiresAt: row.expires_at,
      courseStatus: row.course_status,
      playable: (row.release_id ?? row.course_release_id ?? row.url) !== null,
      attempt,
    },
    now,
  );
  return {
    EnrollID: input.enrollId,
    LoginID: row.login_id,
    CourseID: row.course_id,
    CourseTitle: row.title,
    ...decision,
    releaseId: (attempt.startsAnother ? null : row.release_id) ?? row.course_release_id,
    startsAttempt: attempt.startsAnother,
    attemptLimit: attempt.limit,
    isCompleted: row.status === 'completed',
    mayReview: mayReview(decision, rulesOf(row.attempt_rules)) && !(await isAicc(ctx, row.release_id)),
  };
}

/** AICC has no way to tell content that it is being reviewed. */
async function isAicc(ctx: TenantContext, releaseId: string | null): Promise<boolean> {
  return releaseId !== null && (await playableContent(ctx, releaseId)).standard === 'aicc';
}
