import type { Selectable } from 'kysely';
import type { Course } from '../../../../scorm/sequencing/course.ts';
import { type DescribedRule, describeActivity } from '../../../../scorm/sequencing/descriptions.ts';
import { ruleText } from '../../../../scorm/sequencing/rule-text.ts';
import type { Unit } from '../../../../standards/types.ts';
import { rulesOf, type Titles, titlesOf } from '../../../../standards/unit-rules.ts';
import type { ReleaseTable } from '../../db/engine/generated.ts';
import { transaction } from '../../db/transaction.ts';
import {
  foreignCursor,
  maxPageBytes,
  type PageQuery,
  pageLimit,
  readCursor,
  textBytes,
  toPage,
} from '../../http/pagination.ts';
import { recordOf } from '../../http/records.ts';
import type { Context } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { appendAudit, deployment } from '../audit/chain.ts';
import { notifyTenants } from '../events/append.ts';
import { courseNotFound, releaseNotFound } from './problems.ts';
import { Release } from './schemas.ts';
import { contentsOf, prepared, warningsOf } from './stored-release.ts';

type ReleaseRow = Selectable<ReleaseTable> & { current_id: string | null };

function selectReleases(ctx: Context, courseId: string) {
  return ctx.db
    .selectFrom('release')
    .innerJoin('course', 'course.course_id', 'release.course_id')
    .selectAll('release')
    .select('course.release_id as current_id')
    .where('release.course_id', '=', courseId);
}

export async function readCurrentRelease(ctx: Context, input: { courseId: string }): Promise<Release> {
  const row = await selectReleases(ctx, input.courseId)
    .whereRef('release.release_id', '=', 'course.release_id')
    .executeTakeFirst();
  if (row) return toRelease(row);
  throw new Problem(
    'course_not_playable',
    'The course has no package. Upload one with PUT /course/{CourseID}/package.',
  );
}

export async function readRelease(
  ctx: Context,
  input: { courseId: string; release: number },
): Promise<Release> {
  const row = await selectReleases(ctx, input.courseId)
    .where('release.number', '=', input.release)
    .executeTakeFirst();
  if (row) return toRelease(row);
  await findCourse(ctx, input.courseId);
  throw releaseNotFound();
}

/** All releases of a course, newest first. They are read one by one, so other requests can run between large ones. */
export async function listReleases(ctx: Context, input: PageQuery & { courseId: string }) {
  const limit = pageLimit(input);
  const before = readCursor(input);
  if (before !== null && !/^[1-9]\d{0,8}$/.test(before)) throw foreignCursor();
  const { courseId } = input;
  await findCourse(ctx, courseId);
  let query = ctx.db.selectFrom('release').select('number').where('course_id', '=', courseId);
  if (before !== null) query = query.where('number', '<', Number(before));
  const found = await query
    .orderBy('number', 'desc')
    .limit(limit + 1)
    .execute();
  const releases: Release[] = [];
  let bytes = 0;
  for (const { number } of found) {
    const release = await readRelease(ctx, { courseId, release: number });
    releases.push(release);
    bytes += textBytes(release);
    // The last release does not fit on this page, so the next page starts with it.
    if (bytes > maxPageBytes && releases.length > 1) break;
  }
  return toPage(
    releases,
    limit,
    ({ Release }) => String(Release),
    (release) => release,
  );
}

/** Makes a release current, so that new enrolments play it. */
export async function makeCurrent(
  ctx: Context,
  input: { courseId: string; release: number },
): Promise<Release> {
  await transaction(ctx, async (ctx) => {
    const course = await ctx.db
      .selectFrom('course')
      .select(['status', 'tenants', 'release_id'])
      .where('course_id', '=', input.courseId)
      .forUpdate()
      .executeTakeFirst();
    if (!course) throw courseNotFound();
    const release = await ctx.db
      .selectFrom('release')
      .select(['release_id', 'course_id', 'number', 'standard', 'title'])
      .where('course_id', '=', input.courseId)
      .where('number', '=', input.release)
      .executeTakeFirst();
    if (!release) throw releaseNotFound();
    if (release.release_id === course.release_id) return;
    await ctx.db
      .updateTable('course')
      .set({ release_id: release.release_id, updated_at: ctx.now() })
      .where('course_id', '=', input.courseId)
      .execute();
    await appendAudit(ctx, deployment, {
      action: 'release.made_current',
      targetId: input.courseId,
      data: { Release: release.number },
    });
    if (course.status !== 'draft') await announceRelease(ctx, { ...release, tenants: course.tenants });
  });
  return readRelease(ctx, input);
}

async function findCourse(ctx: Context, courseId: string): Promise<void> {
  const found = await ctx.db
    .selectFrom('course')
    .select('course_id')
    .where('course_id', '=', courseId)
    .executeTakeFirst();
  if (!found) throw courseNotFound();
}

/** Notifies the tenants to which the course is offered that this release is now current. */
export async function announceRelease(
  ctx: Context,
  release: Pick<ReleaseRow, 'course_id' | 'number' | 'standard' | 'title'> & { tenants: string[] | null },
): Promise<void> {
  const { tenants, course_id: courseId } = release;
  const data = { Release: release.number, Standard: release.standard, Title: release.title };
  await notifyTenants(ctx, { tenants, courseId, type: 'course.released', data });
}

type ReleaseContext = { titles: Titles; course: Course | null };

function inOrder(context: ReleaseContext, units: Unit[], depth = 0): Release['Units'] {
  return units.flatMap((unit) => [
    {
      ...{ UnitID: unit.UnitID, Title: unit.Title, Href: unit.Href, Depth: depth },
      Rules: rulesOf(context.titles, context.course, unit).map((rule) => toRule(unit.Title, rule)),
    },
    ...inOrder(context, unit.Children, depth + 1),
  ]);
}

const toRule = (title: string, rule: DescribedRule) => ({ ...rule, Text: ruleText(title, rule) });

export function toRelease(row: ReleaseRow): Release {
  const { standard, tree } = contentsOf(row);
  const course = prepared(standard, tree, row.title);
  const rules = course ? describeActivity(course, course.root) : [];
  return recordOf(Release, row, {
    Release: row.number,
    Current: row.release_id === row.current_id,
    Standard: standard,
    AuthoringTool: tree.AuthoringTool ?? null,
    Rules: rules.map((rule) => toRule(row.title, rule)),
    Units: inOrder({ titles: titlesOf(tree), course }, tree.Units),
    Warnings: warningsOf(row),
  });
}
