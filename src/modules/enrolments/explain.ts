import type { TenantContext } from '../../platform/context.ts';
import { isId } from '../../platform/ids.ts';
import { enrolmentNotFound } from './record.ts';
import { decideLaunch } from './rules.ts';
import type { Explanation } from './schemas.ts';

export type LaunchDecision = Explanation & { CourseTitle: string; reason: string | null };

/** Decides whether the learner can start now, in one statement, and says why. `loginId` undefined: whosever it is. */
export async function explain(
  ctx: TenantContext,
  input: { enrollId: string; loginId?: string },
): Promise<LaunchDecision> {
  if (!isId(input.enrollId)) throw enrolmentNotFound();
  const row = await ctx.db
    .selectFrom('enrolment')
    .innerJoin('user', (join) =>
      join.on('user.tenant_id', '=', ctx.tenantId).onRef('user.user_id', '=', 'enrolment.user_id'),
    )
    .innerJoin('course', 'course.course_id', 'enrolment.course_id')
    .select(['enrolment.status', 'enrolment.expires_at', 'enrolment.release_id', 'enrolment.course_id'])
    .select(['user.enabled', 'user.login_id', 'course.title', 'course.url'])
    .select(['course.status as course_status', 'course.release_id as course_release_id'])
    .where('enrolment.tenant_id', '=', ctx.tenantId)
    .where('enrolment.enroll_id', '=', input.enrollId)
    .executeTakeFirst();
  if (!row || (input.loginId !== undefined && row.login_id !== input.loginId)) throw enrolmentNotFound();
  const decision = decideLaunch(
    {
      userEnabled: row.enabled,
      withdrawn: row.status === 'withdrawn',
      expiresAt: row.expires_at,
      courseStatus: row.course_status,
      playable: (row.release_id ?? row.course_release_id ?? row.url) !== null,
    },
    ctx.now(),
  );
  return {
    EnrollID: input.enrollId,
    LoginID: row.login_id,
    CourseID: row.course_id,
    CourseTitle: row.title,
    ...decision,
  };
}
