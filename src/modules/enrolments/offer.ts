import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import type { CourseRow } from '../catalogue/courses.ts';
import { isChoosable, isOffered, toCourse } from '../catalogue/offers.ts';
import type { OptionRow } from '../catalogue/options.ts';
import { courseNotFound } from '../catalogue/problems.ts';
import type { Course } from '../catalogue/schemas.ts';
import { userNotFound } from '../users/users.ts';

type Row = { options: OptionRow[]; enroll_id: string | null } & (CourseRow | { course_id: null });

const text = `
select course.*, release.number as release_number, release.standard as release_standard, offer.options, held.enroll_id
from "user" known
left join course on course.course_id = $3 and ${isOffered('course', '$1')}
left join release on release.release_id = course.release_id
left join lateral (
  select coalesce(jsonb_agg(to_jsonb(option) order by option.created_at, option.duration_id), '[]'::jsonb) as options
  from enrol_option option
  where option.course_id = course.course_id and ${isChoosable('option', 'known.group_name')}
) offer on true
left join enrolment held on held.tenant_id = $1 and held.user_id = known.user_id and held.course_id = $3
  and held.ended_at is null and (held.expires_at is null or held.expires_at > $4)
where known.tenant_id = $1 and known.login_id = $2`;

/** The course as this learner may take it, with the learner's current enrolment. */
export async function readOffer(
  ctx: TenantContext,
  input: { courseId: string; loginId: string },
): Promise<Course & { EnrollID: string | null }> {
  const values = [ctx.tenantId, input.loginId, input.courseId, ctx.now()];
  const [row] = await run<Row>(ctx, { name: 'read_offer', text, values });
  if (!row) throw userNotFound();
  if (row.course_id === null) throw courseNotFound();
  return { ...toCourse(row, row.options), EnrollID: row.enroll_id };
}
