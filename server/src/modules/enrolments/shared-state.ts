import type { Course } from '../../../../scorm/sequencing/course.ts';
import type { Shared } from '../../../../scorm/sequencing/session.ts';
import { sharedIn, sharedPart } from '../../../../standards/tree-state.ts';
import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { playableContent } from '../catalogue/playable.ts';

/** Maximum number of other courses to read. The most recently used ones are read first. */
const maxCourses = 20;

/** `shared` is null if a previous version stored the tree state. */
type Row = { enroll_id: string; release_id: string | null; shared: string | null };

/**
 * Conditions must not read the contents of `tree_state` or `shared`, because the database would
 * decompress them for all of the learner's enrolments. Comparisons with null or an empty string do
 * not read them.
 */
const text = `
select enrolment.enroll_id, enrolment.release_id, attempt.shared
from enrolment join attempt on attempt.tenant_id = $1 and attempt.enroll_id = enrolment.enroll_id
where enrolment.tenant_id = $1 and enrolment.user_id = $2 and enrolment.course_id <> $3
  and (attempt.shared <> '' or (attempt.shared is null and attempt.tree_state is not null))
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
  const parts: string[] = [];
  for (const row of rows.reverse()) parts.push(row.shared ?? (await extractShared(ctx, row)));
  return sharedIn(
    course,
    parts.filter((part) => part !== ''),
  );
}

const readsSharedData = ({ shared: { read } }: Course) => read.objectives.size + read.buckets.size > 0;

/** Extracts the shared data from a tree state that a previous version stored, and saves it. */
async function extractShared(ctx: TenantContext, { enroll_id, release_id }: Row): Promise<string> {
  const { course } = await playableContent(ctx, release_id);
  const attempt = await ctx.db
    .selectFrom('attempt')
    .select('tree_state')
    .where('tenant_id', '=', ctx.tenantId)
    .where('enroll_id', '=', enroll_id)
    .executeTakeFirst();
  const shared = sharedBy(course, attempt?.tree_state ?? '') ?? '';
  await ctx.db
    .updateTable('attempt')
    .set({ shared })
    .where('tenant_id', '=', ctx.tenantId)
    .where('enroll_id', '=', enroll_id)
    .where('shared', 'is', null)
    .execute();
  return shared;
}
