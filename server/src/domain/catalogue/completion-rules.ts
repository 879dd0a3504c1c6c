import { isMedia, withRule } from '../../../../standards/media.ts';
import type { Played } from '../../../../standards/results.ts';
import type { CompleteWhen } from '../../../../standards/types.ts';
import { run } from '../../db/transaction.ts';
import { createCache } from '../../infra/context/cache.ts';
import type { Context } from '../../infra/context/context.ts';
import { releaseNotFound } from './problems.ts';
import { ruleOf } from './stored-release.ts';

const text = `
select course.complete_when, release.number from release
join course on course.course_id = release.course_id where release.release_id = $1`;

type Rule = { rule: CompleteWhen | null; number: number };

/** The rule of a course with a single file can change without a new release. */
const completionRules = createCache<Rule>({
  name: 'completion_rules',
  milliseconds: 10_000,
  max: 1_000,
  load: async (ctx, releaseId) => {
    const [row] = await run<{ complete_when: unknown; number: number }>(ctx, text, [releaseId]);
    if (!row) throw releaseNotFound();
    return { rule: ruleOf(row), number: row.number };
  },
});

export const forgetRule = (ctx: Context, releaseId: string) => completionRules.forget(ctx, releaseId);

/** The content with the rule that the course has now. */
export async function withCurrentRule<P extends Played>(
  ctx: Context,
  releaseId: string,
  played: P,
): Promise<P> {
  if (!isMedia(played.standard)) return played;
  const { rule, number } = await completionRules.get(ctx, releaseId);
  return { ...played, tree: withRule(played.tree, rule, number) };
}
