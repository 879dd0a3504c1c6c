import { sharedIn, sharingTreeState } from '../../../../standards/tree-state.ts';
import type { CourseTree, Unit } from '../../../../standards/types.ts';
import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';

/** Only the most recently used courses are read, and no large states. */
const max = { courses: 20, characters: 262_144 };

const text = `
select other.tree_state from (
  select attempt.tree_state, enrolment.last_accessed_at
  from enrolment join attempt on attempt.tenant_id = $1 and attempt.enroll_id = enrolment.enroll_id
  where enrolment.tenant_id = $1 and enrolment.user_id = $2 and enrolment.course_id <> $3
    and length(attempt.tree_state) <= ${max.characters} and starts_with(attempt.tree_state, $4)
  order by enrolment.last_accessed_at desc nulls last limit ${max.courses}
) other order by other.last_accessed_at nulls first`;

/**
 * The data that the learner's other courses share with this one (SCORM 2004 `objectivesGlobalToSystem`). Other
 * enrolments on the same course do not count, because a renewed enrolment starts from the beginning.
 */
export async function readShared(
  ctx: TenantContext,
  { userId, courseId, tree }: { userId: string; courseId: string; tree: CourseTree },
) {
  if (!sharesSomething(tree)) return sharedIn([]);
  const values = [ctx.tenantId, userId, courseId, sharingTreeState];
  const rows = await run<{ tree_state: string }>(ctx, { name: 'read_shared', text, values });
  return sharedIn(rows.map(({ tree_state }) => tree_state));
}

function sharesSomething({ Units, Sequencing, ...tree }: CourseTree): boolean {
  const hasMaps = (sequencing: Unit['Sequencing']) =>
    tree.ObjectivesGlobalToSystem && sequencing?.Objectives.some(({ Maps }) => Maps.length > 0) === true;
  const shares = (unit: Unit): boolean =>
    hasMaps(unit.Sequencing) ||
    (tree.SharedDataGlobalToSystem && unit.SharedData.length > 0) ||
    unit.Children.some(shares);
  return hasMaps(Sequencing) || Units.some(shares);
}
