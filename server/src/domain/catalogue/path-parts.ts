import { run } from '../../db/transaction.ts';
import type { Context } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';

/** A group of courses of a path, of which the learner has to complete `Need`. */
export type Step = { CourseIDs: string[]; Need: number; Optional: boolean; DurationID: string | null };
export type PathRule = { Steps: Step[]; Ordered: boolean };

/** The cast is safe: only `putPath` writes the column. */
export const pathOf = ({ path }: { path: unknown }): PathRule | null => path as PathRule | null;

/** SQL: the CourseIDs of the parts of a path. */
export const partsSql = (path: string) =>
  `(select part.id from jsonb_array_elements(${path} -> 'Steps') step, jsonb_array_elements_text(step -> 'CourseIDs') part (id))`;

export function pathHasNoContent(param?: string): Problem {
  return new Problem(
    'validation_failed',
    'The course is a path, which has no content of its own. Create another course, and add it to the Steps of the path.',
    param === undefined ? {} : { param },
  );
}

const containingText = `
select course.course_id from course where course.path is not null and $1 in ${partsSql('course.path')} limit 1`;

export async function rejectPart(ctx: Context, courseId: string): Promise<void> {
  const [path] = await run<{ course_id: string }>(ctx, containingText, [courseId]);
  if (path)
    throw new Problem(
      'course_in_use',
      `The course is a part of the path ${path.course_id}. Remove it from the path first.`,
    );
}
