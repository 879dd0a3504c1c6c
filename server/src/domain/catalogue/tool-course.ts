import { toolTree } from '../../../../standards/lti.ts';
import { searchedText } from '../../db/search.ts';
import { transaction } from '../../db/transaction.ts';
import type { Context } from '../../infra/context/context.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { newId, sha256 } from '../../lib/ids.ts';
import { audit } from '../audit/chain.ts';
import { insertOwnCourse } from './paths.ts';
import type { courseStatuses } from './schemas.ts';

type CourseStatus = (typeof courseStatuses)[number];

type ToolCourse = {
  courseId: string;
  Title?: string | undefined;
  Status?: CourseStatus | undefined;
};

/** Creates a course of the tenant that consists of an LTI tool, or changes its title and status. */
export async function putToolCourse(
  ctx: Context & { readonly tenantId: string },
  { courseId, Title, Status }: ToolCourse,
): Promise<void> {
  await transaction(ctx, async (ctx) => {
    const before = await ctx.db
      .selectFrom('course')
      .select(['owner_tenant_id', 'release_id'])
      .where('course_id', '=', courseId)
      .executeTakeFirst();
    if (before && before.owner_tenant_id !== ctx.tenantId)
      throw new Problem(
        'course_not_found',
        'Your tenant has no course of its own with this CourseID. Choose a CourseID that is not used yet.',
        { param: 'CourseID' },
      );
    if (before && !(await isTool(ctx, before.release_id)))
      throw invalid('CourseID', 'The course has content of its own. Create another course for the tool.');
    const sent = {
      ...(Title !== undefined && { title: Title, folded: searchedText(Title, courseId) }),
      ...(Status !== undefined && { status: Status }),
      updated_at: ctx.now(),
    };
    if (!before) {
      await insertOwnCourse(ctx, { courseId, tenantId: ctx.tenantId, sent });
      await insertToolRelease(ctx, { courseId, title: Title ?? courseId });
      await audit(ctx, 'course.created', courseId);
    } else await ctx.db.updateTable('course').set(sent).where('course_id', '=', courseId).execute();
  });
}

async function isTool(ctx: Context, releaseId: string | null): Promise<boolean> {
  const release = await ctx.db
    .selectFrom('release')
    .select('standard')
    .where('release_id', '=', releaseId)
    .executeTakeFirst();
  return release?.standard === 'lti';
}

/** Enrolments play a release, as those of packages do. It has no files, and stays the only one. */
async function insertToolRelease(
  ctx: Context,
  { courseId, title }: { courseId: string; title: string },
): Promise<void> {
  const tree = JSON.stringify(toolTree(title));
  const release_id = newId(ctx.now());
  await ctx.db
    .insertInto('release')
    .values({
      ...{ release_id, course_id: courseId, number: 1, standard: 'lti', title, tree, warnings: '[]' },
      ...{ files: 0, bytes: 0, sha256: sha256(tree), created_at: ctx.now() },
    })
    .execute();
  await ctx.db.updateTable('course').set({ release_id }).where('course_id', '=', courseId).execute();
}
