import { findUnit, type Played } from '../../../../standards/results.ts';
import { extendTimeLimits } from '../../../../standards/time-factor.ts';
import type { CourseTree, Standard, Unit } from '../../../../standards/types.ts';
import { addressTree } from '../../../../standards/web.ts';
import { run } from '../../db/transaction.ts';
import { createCache } from '../../infra/context/cache.ts';
import type { Context } from '../../infra/context/context.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { withCurrentRule } from './completion-rules.ts';
import { isOffered } from './offers.ts';
import { courseNotFound, releaseNotFound } from './problems.ts';
import { prepared } from './stored-release.ts';

type Row = {
  title: string;
  language: string | null;
  url: string | null;
  release_id: string | null;
  number: number | null;
};

export type Playable = {
  title: string;
  language: string | null;
  releaseId: string | null;
  release: number | null;
  /** URL of the course page; null if the course has a package. */
  url: string | null;
};

/** `bytes` is the approximate size in memory. */
export type PlayedRelease = Played & { bytes: number };

const text = `
select course.title, course.language, course.url, release.release_id, release.number
from course
left join release on release.course_id = course.course_id
  and (release.number = $2 or ($2::int is null and release.release_id = course.release_id))
where course.course_id = $1 and ($3::text is null or ${isOffered('course', '$3')})`;

/**
 * The content that a course plays: the given release, the current release, or a URL. `tenantId` is null for
 * the operator.
 */
export async function findPlayable(
  ctx: Context,
  input: { courseId: string; release: number | null; tenantId: string | null },
): Promise<Playable> {
  const [row] = await run<Row>(ctx, text, [input.courseId, input.release, input.tenantId]);
  if (!row) throw courseNotFound();
  const { title, language, url, release_id: releaseId, number: release } = row;
  if (releaseId !== null) return { title, language, releaseId, release, url: null };
  if (input.release !== null) throw releaseNotFound();
  if (url === null)
    throw new Problem(
      'course_not_playable',
      'The course has neither a package nor a URL. Upload a package with PUT /course/{CourseID}/package.',
    );
  return { title, language, releaseId: null, release: null, url };
}

/** A tree prepared for sequencing takes this many times the memory of the original tree. */
const preparedFactor = 4;

/** The tree of a release never changes, so it can be cached for a long time. */
const releases = createCache<PlayedRelease>({
  name: 'releases',
  milliseconds: 600_000,
  max: 200,
  bytes: { of: ({ bytes }) => bytes, max: 32 * 1024 ** 2 },
  load: async (ctx, releaseId) => {
    const row = await ctx.db
      .selectFrom('release')
      .select(['standard', 'tree'])
      .where('release_id', '=', releaseId)
      .executeTakeFirst();
    if (!row) throw releaseNotFound();
    const [standard, tree] = [row.standard as Standard, row.tree as CourseTree];
    const course = prepared(standard, tree, '');
    const bytes = JSON.stringify(tree).length * (course ? preparedFactor : 1);
    return { standard, tree, course, bytes };
  },
});

/**
 * The content that is played and against which commits are evaluated. `releaseId` is null if the course is a
 * web page at a URL.
 */
export async function playableContent(
  ctx: Context,
  releaseId: string | null,
  page: { url: string; title: string } = { url: '', title: '' },
): Promise<PlayedRelease> {
  if (releaseId !== null) return withCurrentRule(ctx, releaseId, await releases.get(ctx, releaseId));
  return { standard: 'web', tree: addressTree(page.url, page.title), course: null, bytes: 0 };
}

/** The content with the time limits of one learner. Null removes them. */
export function withTimeFactor(played: PlayedRelease, factor: number | null): PlayedRelease {
  const tree = extendTimeLimits(played.tree, factor);
  return tree === played.tree ? played : { ...played, tree, course: prepared(played.standard, tree, '') };
}

export function unitOf({ tree }: Played, unitId: string): Unit {
  const unit = findUnit(tree.Units, unitId);
  if (unit) return unit;
  throw invalid('UnitID', 'The course has no unit with this UnitID.');
}

/** Whether the release still exists: deleting a course deletes its releases. */
export async function isRelease(ctx: Context, { releaseId }: { releaseId: string }): Promise<boolean> {
  const row = await ctx.db
    .selectFrom('release')
    .select('release_id')
    .where('release_id', '=', releaseId)
    .executeTakeFirst();
  return row !== undefined;
}
