import type { Course } from '../../../../scorm/sequencing/course.ts';
import type { Shared } from '../../../../scorm/sequencing/session.ts';
import { sharedIn, sharedPart } from '../../../../standards/tree-state.ts';
import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';

/** Maximum number of other courses to read. The most recently used ones are read first. */
const maxCourses = 20;

type Row = { shared: string };

/**
 * Conditions must not read the contents of `shared`, because the database would decompress them for all of
 * the learner's enrolments. A comparison with an empty string does not read them.
 */
const text = `
select attempt.shared
from enrolment join attempt on attempt.tenant_id = $1 and attempt.enroll_id = enrolment.enroll_id
where enrolment.tenant_id = $1 and enrolment.user_id = $2 and enrolment.course_id <> $3
  and attempt.shared <> ''
order by enrolment.last_accessed_at desc nulls last limit ${maxCourses}`;

/**
 * Returns the data that a commit shares with the learner's other courses. Returns null if there is no tree
 * state.
 */
export function sharedBy(course: Course | null, treeState: string | null): string | null {
  if (treeState === null) return null;
  return course ? sharedPart(course, treeState) : '';
}

/**
 * Reads the data that the learner's other courses share with this one (SCORM 2004
 * `objectivesGlobalToSystem`). Ignores other enrolments on the same course, because a renewed
 * enrolment starts from the beginning.
 */
export async function readShared(
  ctx: TenantContext,
  { userId, courseId, course }: { userId: string; courseId: string; course: Course | null },
): Promise<Required<Shared>> {
  if (!course || !readsSharedData(course)) return { globals: [], buckets: [] };
  const values = [ctx.tenantId, userId, courseId];
  const rows = await run<Row>(ctx, { name: 'read_shared', text, values });
  return sharedIn(
    course,
    rows.reverse().map(({ shared }) => shared),
  );
}

const readsSharedData = ({ shared: { read } }: Course) => read.objectives.size + read.buckets.size > 0;
