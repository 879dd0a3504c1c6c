import { tenantNow } from '../../platform/clocks.ts';
import type { TenantContext } from '../../platform/context.ts';
import { coalesceReads, wantedRows } from '../../platform/load/coalesce-reads.ts';
import type { CourseRow } from '../catalogue/courses.ts';
import { isOffered, isSelectable, toCourse, withGroups } from '../catalogue/offers.ts';
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
from ${wantedRows('login_id text, course_id text')}
cross join lateral (
  select own.user_id, own.group_name from "user" own
  where own.tenant_id = $1 and own.login_id = wanted.login_id limit 1
) known
left join lateral (
  select own.* from course own where own.course_id = wanted.course_id and ${isOffered('own', '$1')} limit 1
) course on true
left join lateral (
  select own.number, own.standard from release own where own.release_id = course.release_id limit 1
) release on true
left join lateral (
  select coalesce(jsonb_agg(to_jsonb(option) order by option.created_at, option.duration_id), '[]'::jsonb) as options
  from enrol_option option
  where option.course_id = course.course_id and ${isSelectable('option', 'known.group_name')}
) offer on true
left join lateral (
  select own.enroll_id from enrolment own
  where own.tenant_id = $1 and own.user_id = known.user_id and own.course_id = wanted.course_id
    and own.ended_at is null and (own.expires_at is null or own.expires_at > $3) limit 1
) enrolment on true`;

type Wanted = { courseId: string; loginId: string };

const readRow = coalesceReads<Wanted, Row>({
  name: 'read_offers',
  text,
  item: ({ loginId, courseId }) => ({ login_id: loginId, course_id: courseId }),
  more: (ctx) => [tenantNow(ctx)],
});

/**
 * Returns the course with the options that this learner can choose, and the learner's current
 * enrolment.
 */
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
