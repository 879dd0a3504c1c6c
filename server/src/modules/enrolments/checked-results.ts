import {
  type Claim,
  type NextResults,
  type Played,
  type Results,
  resultsWith,
} from '../../../../standards/results.ts';
import type { TenantContext } from '../../platform/context.ts';
import { readShared } from './shared-state.ts';

export const unsupportedWarning =
  'The page claimed a better result for the course than its data supports. Only the result that the data supports counts.';

/**
 * Returns the results after a commit. If a result has no other explanation, reads the values that the
 * learner's other courses share and evaluates the result again.
 */
export async function checkedResults(
  ctx: TenantContext,
  owner: { user_id: string; course_id: string },
  { played, reached, claim }: { played: Played; reached: Results; claim: Claim },
): Promise<NextResults> {
  const results = resultsWith(played, reached, claim);
  if (results.unsupported === null || !played.course) return results;
  const of = { userId: owner.user_id, courseId: owner.course_id, course: played.course };
  const { globals } = await readShared(ctx, of);
  if (globals.length === 0) return results;
  return resultsWith(played, reached, { ...claim, shared: globals });
}
