import { searchedText } from '../../db/search.ts';
import { run, transaction } from '../../db/transaction.ts';
import type { Context } from '../../infra/context/context.ts';
import { hasScope, requireScope } from '../../infra/context/scopes.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { appendAudit, deployment } from '../audit/chain.ts';
import { deleteCourse, optionsOf } from './courses.ts';
import { isOffered } from './offers.ts';
import { type PathRule, partsSql, pathOf, type Step } from './path-parts.ts';
import { courseNotFound } from './problems.ts';
import type { Path, PathChange } from './schemas.ts';

type Actor = Context & { readonly tenantId?: string };

/** The tenant that acts; null: the operator, even when acting on a tenant. */
const ownerOf = (ctx: Actor): string | null =>
  hasScope(ctx, 'catalogue:write') ? null : (ctx.tenantId ?? null);
type CourseKey = { courseId: string };

const readText = `
select course.title, course.status, course.path, course.owner_tenant_id,
  (select jsonb_agg(jsonb_build_object('CourseID', part.course_id, 'Title', part.title) order by part.course_id)
    from course part where part.course_id in ${partsSql('course.path')}) as courses
from course
where course.course_id = $1
  and ($2::text is null or course.owner_tenant_id = $2 or ${isOffered('course', '$2')})`;

type PathRow = {
  title: string;
  status: Path['Status'];
  path: unknown;
  owner_tenant_id: string | null;
  courses: Path['Courses'] | null;
};

/** Reads a path that the tenant sees, or any path for the operator. */
export async function readPath(ctx: Actor, { courseId }: CourseKey): Promise<Path> {
  const owner = ownerOf(ctx);
  const [row] = await run<PathRow>(ctx, readText, [courseId, owner]);
  const rule = row ? pathOf(row) : null;
  if (!row || !rule) throw courseNotFound();
  const isOwn = owner === null || row.owner_tenant_id === owner;
  return {
    ...{ CourseID: courseId, Title: row.title, Status: row.status, ...rule },
    Courses: row.courses ?? [],
    MayChange: isOwn && hasScope(ctx, 'requirements:write'),
  };
}

/** Makes a course a path, or changes the path. A tenant creates and changes only paths of its own. */
export async function putPath(
  ctx: Actor,
  input: PathChange & CourseKey,
): Promise<{ path: Path; isNew: boolean }> {
  const rule = ruleOf(input);
  const isNew = await transaction(ctx, async (ctx) => {
    const courseIds = rule.Steps.flatMap(({ CourseIDs }) => CourseIDs);
    await lockCourses(ctx, [input.courseId, ...courseIds]);
    await checkOwner(ctx, input);
    await checkParts(ctx, input.courseId, rule, courseIds);
    return store(ctx, input, rule);
  });
  return { path: await readPath(ctx, input), isNew };
}

function ruleOf({ Steps, Ordered = false }: PathChange): PathRule {
  const seen = new Set<string>();
  const steps = Steps.map((sent, n): Step => {
    const { CourseIDs, Need = CourseIDs.length, Optional = false, DurationID = null } = sent;
    if (Need > CourseIDs.length)
      throw invalid(
        'Steps',
        `Step ${n + 1} needs ${Need} courses but has only ${CourseIDs.length}. Send a smaller Need, or more CourseIDs.`,
      );
    for (const id of CourseIDs) {
      if (seen.has(id)) throw invalid('Steps', `The course ${id} occurs twice. Name it in one step only.`);
      seen.add(id);
    }
    return { CourseIDs, Need, Optional, DurationID };
  });
  if (steps.every(({ Optional }) => Optional))
    throw invalid('Steps', 'All steps are optional. At least one step has to be required.');
  return { Steps: steps, Ordered };
}

/** Two paths that would contain each other wait for each other here. */
async function lockCourses(ctx: Context, courseIds: readonly string[]): Promise<void> {
  await run(
    ctx,
    'select course.course_id from course where course.course_id = any($1) order by course.course_id for update',
    [courseIds],
  );
}

/** A tenant gets the same response for the courses of the operator and of other tenants. */
async function checkOwner(ctx: Actor, { courseId }: CourseKey): Promise<void> {
  const owner = ownerOf(ctx);
  if (owner === null) return requireScope(ctx, 'catalogue:write', 'Changing the catalogue of the deployment');
  const course = await ctx.db
    .selectFrom('course')
    .select('owner_tenant_id')
    .where('course_id', '=', courseId)
    .executeTakeFirst();
  if (course && course.owner_tenant_id !== owner)
    throw new Problem(
      'course_not_found',
      'Your tenant has no path of its own with this CourseID. Choose a CourseID that is not used yet.',
      { param: 'CourseID' },
    );
}

const partsText = `
select course.course_id from course
where course.course_id = any($1) and ($2::text is null and course.owner_tenant_id is null or ${isOffered('course', '$2')})`;

/** The courses that the path would contain, and one that leads back to it. */
const cycleText = `
with recursive part (course_id) as (
  select unnest($2::text[])
  union
  select inner_part.id from part join course on course.course_id = part.course_id
  cross join lateral ${partsSql('course.path')} inner_part where course.path is not null
)
select part.course_id from part where part.course_id = $1`;

async function checkParts(
  ctx: Actor,
  courseId: string,
  { Steps }: PathRule,
  courseIds: string[],
): Promise<void> {
  const known = await run<{ course_id: string }>(ctx, partsText, [courseIds, ownerOf(ctx)]);
  const ids = new Set(known.map(({ course_id }) => course_id));
  if (courseIds.includes(courseId)) throw containsItself(courseId);
  const missing = courseIds.find((id) => !ids.has(id));
  if (missing !== undefined)
    throw invalid('Steps', `The course ${missing} does not exist. Send courses of GET /catalogue/course.`);
  const cycle = await run(ctx, cycleText, [courseId, courseIds]);
  if (cycle.length > 0) throw containsItself(courseId);
  const options = (await optionsOf(ctx, courseIds)).filter(({ status }) => status === 'published');
  for (const { CourseIDs, DurationID } of Steps)
    for (const id of CourseIDs) {
      const own = options.filter(({ course_id }) => course_id === id).map(({ duration_id }) => duration_id);
      if (DurationID !== null && !own.includes(DurationID))
        throw invalid(
          'Steps',
          `The course ${id} has no enrolment option ${DurationID}. It has: ${own.join(', ') || 'none'}.`,
        );
      const forAll = options.filter(({ course_id, groups }) => course_id === id && groups === null);
      if (DurationID === null && forAll.length > 1)
        throw invalid(
          'Steps',
          `The course ${id} has several enrolment options. Send one of ${own.join(', ')} as the DurationID of its step.`,
        );
    }
}

const containsItself = (courseId: string) =>
  invalid('Steps', `The path ${courseId} would contain itself, directly or through another path.`);

async function store(ctx: Actor, input: PathChange & CourseKey, rule: PathRule): Promise<boolean> {
  const { courseId } = input;
  const now = ctx.now();
  const before = await ctx.db
    .selectFrom('course')
    .select(['release_id', 'url', 'path'])
    .where('course_id', '=', courseId)
    .executeTakeFirst();
  if (before && (before.release_id !== null || before.url !== null))
    throw invalid('CourseID', 'The course has content of its own. Create another course for the path.');
  const sent = {
    path: JSON.stringify(rule),
    ...(input.Title !== undefined && { title: input.Title, folded: searchedText(input.Title, courseId) }),
    ...(input.Status !== undefined && { status: input.Status }),
    updated_at: now,
  };
  if (before) await ctx.db.updateTable('course').set(sent).where('course_id', '=', courseId).execute();
  else await insertOwnCourse(ctx, { courseId, tenantId: ownerOf(ctx), sent });
  const Changed = ['Title', 'Status', 'Steps', 'Ordered'].filter((name) => name in input);
  const status = input.Status && { Status: input.Status };
  await appendAudit(
    ctx,
    ownerOf(ctx) ?? deployment,
    before
      ? { action: 'course.changed', targetId: courseId, data: { Changed, ...status } }
      : { action: 'course.created', targetId: courseId, data: {} },
  );
  return !before;
}

/** Tenants cannot create enrolment options, so a course of their own gets one without a time limit. */
export async function insertOwnCourse(
  ctx: Context,
  { courseId, tenantId, sent }: CourseKey & { tenantId: string | null; sent: { updated_at: Date } },
): Promise<void> {
  const [title, created_at] = [courseId, sent.updated_at];
  const owner = tenantId === null ? {} : { tenants: [tenantId], owner_tenant_id: tenantId };
  await ctx.db
    .insertInto('course')
    .values({
      title,
      folded: searchedText(title, courseId),
      ...sent,
      ...owner,
      course_id: courseId,
      created_at,
    })
    .execute();
  if (tenantId === null) return;
  await ctx.db
    .insertInto('enrol_option')
    .values({
      ...{ course_id: courseId, duration_id: 'unlimited', name: 'No time limit' },
      ...{ created_at, updated_at: created_at },
    })
    .execute();
}

/** Deletes a path, or a course that is a tool, of the tenant on which nobody was ever enrolled. */
export async function deleteOwnCourse(
  ctx: Context & { readonly tenantId: string },
  { courseId }: CourseKey,
): Promise<void> {
  const course = await ctx.db
    .selectFrom('course')
    .select('owner_tenant_id')
    .where('course_id', '=', courseId)
    .executeTakeFirst();
  if (course?.owner_tenant_id !== ctx.tenantId) throw courseNotFound();
  await deleteCourse(ctx, { courseId });
}
