import type { TenantContext } from '../../platform/context.ts';
import { readTogether } from '../../platform/load/read-together.ts';
import type { CourseRow } from '../catalogue/courses.ts';
import { isChoosable, isOffered, toCourse, withGroups } from '../catalogue/offers.ts';
import type { OptionRow } from '../catalogue/options.ts';
import { courseNotFound } from '../catalogue/problems.ts';
import type { Course } from '../catalogue/schemas.ts';
import { userNotFound } from '../users/users.ts';

type Row = { options: OptionRow[]; enroll_id: string | null; own_group: string | null } & (
  | CourseRow
  | { course_id: null }
);

const text = `
select wanted.n, course.*, release.number as release_number, release.standard as release_standard,
  offer.options, enrolment.enroll_id, known.group_name as own_group
from unnest($2::text[], $3::text[]) with ordinality as wanted (login_id, course_id, n)
join "user" known on known.tenant_id = $1 and known.login_id = wanted.login_id
left join course on course.course_id = wanted.course_id and ${isOffered('course', '$1')}
left join release on release.release_id = course.release_id
left join lateral (
  select coalesce(jsonb_agg(to_jsonb(option) order by option.created_at, option.duration_id), '[]'::jsonb) as options
  from enrol_option option
  where option.course_id = course.course_id and ${isChoosable('option', 'known.group_name')}
) offer on true
left join enrolment on enrolment.tenant_id = $1 and enrolment.user_id = known.user_id and enrolment.course_id = wanted.course_id
  and enrolment.ended_at is null and (enrolment.expires_at is null or enrolment.expires_at > $4)`;

type Wanted = { courseId: string; loginId: string };

const readRow = readTogether<Wanted, Row>({
  name: 'read_offers',
  text,
  values: (ctx, wanted) => [
    ctx.tenantId,
    wanted.map(({ loginId }) => loginId),
    wanted.map(({ courseId }) => courseId),
    ctx.now(),
  ],
});

/** The course with the options that are open to this learner, and their current enrolment. */
export async function readOffer(
  ctx: TenantContext,
  input: Wanted,
): Promise<Course & { EnrollID: string | null }> {
  const row = await readRow(ctx, input);
  if (!row) throw userNotFound();
  if (row.course_id === null) throw courseNotFound();
  const options = withGroups(row.options, new Set(row.own_group === null ? [] : [row.own_group]));
  return { ...toCourse(row, options), EnrollID: row.enroll_id };
}
