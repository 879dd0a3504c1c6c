import type { TenantContext } from '../../platform/context.ts';
import { optionsOf, selectCourses } from '../catalogue/courses.ts';
import { toCourse } from '../catalogue/offers.ts';
import { courseNotFound } from '../catalogue/problems.ts';
import type { Course } from '../catalogue/schemas.ts';
import { userNotFound } from '../users/users.ts';

/** The course as this learner may take it, with the learner's current enrolment. */
export async function readOffer(
  ctx: TenantContext,
  input: { courseId: string; loginId: string },
): Promise<Course & { EnrollID: string | null }> {
  const user = await ctx.db
    .selectFrom('user')
    .select(['user_id', 'group_name'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('login_id', '=', input.loginId)
    .executeTakeFirst();
  if (!user) throw userNotFound();
  const course = await selectCourses(ctx).where('course.course_id', '=', input.courseId).executeTakeFirst();
  const hidden = course?.status === 'draft' || (course?.tenants && !course.tenants.includes(ctx.tenantId));
  if (!course || hidden) throw courseNotFound();
  const current = await ctx.db
    .selectFrom('enrolment')
    .select('enroll_id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('user_id', '=', user.user_id)
    .where('course_id', '=', input.courseId)
    .where('ended_at', 'is', null)
    .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', ctx.now())]))
    .executeTakeFirst();
  const options = (await optionsOf(ctx, [input.courseId])).filter(
    (option) =>
      option.status === 'published' &&
      (option.groups === null || (user.group_name !== null && option.groups.includes(user.group_name))),
  );
  return { ...toCourse(course, options), EnrollID: current?.enroll_id ?? null };
}
