import { type Selectable, sql } from 'kysely';
import type { CourseTable } from '../../db/engine/generated.ts';
import { countSelected } from '../../db/page.ts';
import { patternsOf, searchedText } from '../../db/search.ts';
import { run, transaction } from '../../db/transaction.ts';
import { pageLimit, readCursor, toPage, withCount } from '../../http/pagination.ts';
import { recordOf } from '../../http/records.ts';
import type { Context } from '../../infra/context/context.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { differences } from '../../lib/tables.ts';
import { appendAudit, deployment } from '../audit/chain.ts';
import { type CertificateRule, changedRule, checkRule, newRule } from './certificate-rule.ts';
import { forgetRule } from './completion-rules.ts';
import { type OptionRow, toOption } from './options.ts';
import { pathHasNoContent, rejectPart } from './path-parts.ts';
import { courseNotFound, translateInUse } from './problems.ts';
import { announceRelease } from './releases.ts';
import { AuthoredCourse, type CourseChange, type CourseQuery, type CourseStandard } from './schemas.ts';
import { ruleOf } from './stored-release.ts';

export type CourseRow = Selectable<CourseTable> & {
  release_number: number | null;
  release_standard: string | null;
  release_warnings: number | null;
  release_errors: number | null;
};

export function selectCourses(ctx: Context) {
  return ctx.db
    .selectFrom('course')
    .leftJoin('release', 'release.release_id', 'course.release_id')
    .selectAll('course')
    .select(['release.number as release_number', 'release.standard as release_standard'])
    .select(sql<number | null>`jsonb_array_length(release.warnings)`.as('release_warnings'))
    .select(
      sql<
        number | null
      >`jsonb_array_length(jsonb_path_query_array(release.warnings, '$[*] ? (@.Severity == "error")'))`.as(
        'release_errors',
      ),
    );
}

/** The courses on a page, ordered by CourseID. */
export function filterCourses(courses: ReturnType<typeof selectCourses>, input: CourseQuery) {
  const { Search, Status } = input;
  const after = readCursor(input);
  let query = courses.orderBy('course.course_id').limit(pageLimit(input) + 1);
  if (after !== null) query = query.where('course.course_id', '>', after);
  if (Status !== undefined) query = query.where('course.status', '=', Status);
  for (const pattern of Search === undefined ? [] : patternsOf(Search))
    query = query.where('course.folded', 'like', pattern);
  return query;
}

export function countCourses(ctx: Context, courses: ReturnType<typeof selectCourses>, input: CourseQuery) {
  return countSelected(ctx, filterCourses(courses, input).clearSelect().select('course.course_id'));
}

export function optionsOf(ctx: Context, courseIds: string[]): Promise<OptionRow[]> {
  if (courseIds.length === 0) return Promise.resolve([]);
  return ctx.db
    .selectFrom('enrol_option')
    .selectAll()
    .where((where) => where('course_id', '=', where.fn.any(where.val(courseIds))))
    .orderBy('course_id')
    .orderBy('created_at')
    .orderBy('duration_id')
    .execute();
}

export function standardOf(row: Pick<CourseRow, 'release_standard' | 'url' | 'path'>): CourseStandard | null {
  if (row.path !== null) return 'path';
  return (row.release_standard as CourseStandard | null) ?? (row.url === null ? null : 'web');
}

export function toAuthoredCourse(row: CourseRow, options: OptionRow[]): AuthoredCourse {
  return recordOf(AuthoredCourse, row, {
    Standard: standardOf(row),
    CompleteWhen: ruleOf(row),
    // putCourse has checked it.
    Certificate: row.certificate as CertificateRule | null,
    Release: row.release_number,
    Warnings: row.release_warnings,
    Errors: row.release_errors,
    EnrolOptions: options.filter((option) => option.course_id === row.course_id).map(toOption),
  });
}

export async function readAuthoredCourse(ctx: Context, input: { courseId: string }): Promise<AuthoredCourse> {
  const row = await selectCourses(ctx).where('course.course_id', '=', input.courseId).executeTakeFirst();
  if (!row) throw courseNotFound();
  return toAuthoredCourse(row, await optionsOf(ctx, [input.courseId]));
}

export async function listAuthoredCourses(ctx: Context, input: CourseQuery) {
  const limit = pageLimit(input);
  const rows = await filterCourses(selectCourses(ctx), input).execute();
  const options = await optionsOf(
    ctx,
    rows.map((row) => row.course_id),
  );
  const page = toPage(
    rows,
    limit,
    (row) => row.course_id,
    (row) => toAuthoredCourse(row, options),
  );
  return withCount(input, page, () => countCourses(ctx, selectCourses(ctx), input));
}

export async function putCourse(
  ctx: Context,
  input: CourseChange & { courseId: string },
): Promise<{ course: AuthoredCourse; isNew: boolean }> {
  const now = ctx.now();
  const sent = {
    ...(input.Title !== undefined && {
      title: input.Title,
      folded: searchedText(input.Title, input.courseId),
    }),
    ...(input.Description !== undefined && { description: input.Description }),
    ...(input.Language !== undefined && { language: input.Language }),
    ...(input.ImageURL !== undefined && { image_url: input.ImageURL }),
    ...(input.URL !== undefined && { url: input.URL }),
    ...(input.ActivityID !== undefined && { activity_id: input.ActivityID }),
    ...(input.Status !== undefined && { status: input.Status }),
    ...(input.Tenants !== undefined && { tenants: input.Tenants }),
    ...(input.RequireSignIn !== undefined && { require_sign_in: input.RequireSignIn }),
    ...(input.RetainYears !== undefined && { retain_years: input.RetainYears }),
    ...(input.CompleteWhen !== undefined && {
      complete_when: input.CompleteWhen && JSON.stringify(input.CompleteWhen),
    }),
    updated_at: now,
  };
  const changed = await transaction(ctx, async (ctx) => {
    const before = await ctx.db
      .selectFrom('course')
      .selectAll()
      .where('course_id', '=', input.courseId)
      .forUpdate()
      .executeTakeFirst();
    if (!before) return false;
    await rejectUnusableSignIn(ctx, {
      Tenants: before.tenants,
      RequireSignIn: before.require_sign_in,
      ...input,
    });
    if (before.path !== null && input.URL != null) throw pathHasNoContent('URL');
    const certificate = changedCertificate(input, before, now);
    await ctx.db
      .updateTable('course')
      .set({ ...sent, ...certificate })
      .where('course_id', '=', input.courseId)
      .execute();
    if (before.status === 'draft' && input.Status === 'published') await announceCurrent(ctx, input.courseId);
    await auditChange(ctx, input, { ...sent, ...certificate }, before);
    if (before.release_id !== null) forgetRule(ctx, before.release_id);
    return true;
  });
  if (!changed)
    await transaction(ctx, async (ctx) => {
      await rejectUnusableSignIn(ctx, input);
      await insertCourse(ctx, input, { ...sent, ...changedCertificate(input, null, now) }, now);
    });
  return { course: await readAuthoredCourse(ctx, input), isNew: !changed };
}

/** Fields of the certificate that were left out keep their values. */
function changedCertificate(
  { Certificate }: CourseChange,
  before: Pick<Selectable<CourseTable>, 'certificate' | 'certificate_since'> | null,
  now: Date,
) {
  if (Certificate === undefined) return {};
  if (Certificate === null) return { certificate: null, certificate_since: null };
  // Only this function writes the column.
  const rule = changedRule(
    (before?.certificate as CertificateRule | null | undefined) ?? newRule,
    Certificate,
  );
  checkRule(rule, 'Certificate.');
  return { certificate: JSON.stringify(rule), certificate_since: before?.certificate_since ?? now };
}

const findUnready = `/* across tenants: a course may require a sign-in in several tenants */
select wanted.tenant_id from unnest($1::text[]) wanted (tenant_id)
left join tenant on tenant.tenant_id = wanted.tenant_id
where tenant.can_sign_in is not true order by wanted.tenant_id limit 1`;

const findReady = `/* across tenants: a course may require a sign-in in several tenants */
select tenant.tenant_id from tenant where tenant.can_sign_in limit 1`;

/** A course for all tenants may require a sign-in if some of them have one; in the others, `explain` says so. */
async function rejectUnusableSignIn(
  ctx: Context,
  { Tenants, RequireSignIn }: Pick<CourseChange, 'Tenants' | 'RequireSignIn'>,
): Promise<void> {
  if (!RequireSignIn) return;
  const [found] = await (Tenants
    ? run<{ tenant_id: string }>(ctx, findUnready, [Tenants])
    : run<{ tenant_id: string }>(ctx, findReady));
  if (Tenants ? !found : found) return;
  throw new Problem(
    'sign_in_unavailable',
    `${found ? `The tenant ${found.tenant_id}` : 'No tenant'} has ${found ? 'no' : 'an'} enabled identity provider, so nobody could start the course there. Add one with PUT /identity-provider/{ProviderID} first.`,
    { param: 'RequireSignIn' },
  );
}

async function auditChange(
  ctx: Context,
  input: CourseChange & { courseId: string },
  { updated_at: _, ...sent }: { updated_at: Date } & Record<string, unknown>,
  before: Selectable<CourseTable>,
): Promise<void> {
  const rules = {
    ...(input.CompleteWhen !== undefined && { complete_when: input.CompleteWhen }),
    ...(typeof sent.certificate === 'string' && { certificate: JSON.parse(sent.certificate) }),
  };
  const columns = differences({ ...sent, ...rules }, before);
  const Changed = Object.keys(input).filter((name) => columns.includes(columnOf(name)));
  if (Changed.length === 0) return;
  const status = columns.includes('status') && input.Status ? { Status: input.Status } : {};
  await appendAudit(ctx, deployment, {
    action: 'course.changed',
    targetId: input.courseId,
    data: { Changed, ...status },
  });
}

const columnOf = (field: string) =>
  ({
    ImageURL: 'image_url',
    ActivityID: 'activity_id',
    CompleteWhen: 'complete_when',
    RequireSignIn: 'require_sign_in',
    RetainYears: 'retain_years',
  })[field] ?? field.toLowerCase();

/** Notifies tenants of the current release, because they were not notified while the course was a draft. */
async function announceCurrent(ctx: Context, courseId: string): Promise<void> {
  const [current] = await run<Parameters<typeof announceRelease>[1]>(
    ctx,
    `select course.tenants, release.course_id, release.number, release.standard, release.title
      from course join release on release.release_id = course.release_id where course.course_id = $1`,
    [courseId],
  );
  if (current) await announceRelease(ctx, current);
}

async function insertCourse(
  ctx: Context,
  input: CourseChange & { courseId: string },
  sent: { updated_at: Date },
  now: Date,
): Promise<void> {
  if (input.Title === undefined) throw invalid('Title', 'Title is required to create a course.');
  await ctx.db
    .insertInto('course')
    .values({ title: input.Title, ...sent, course_id: input.courseId, created_at: now })
    .onConflict((conflict) => conflict.column('course_id').doUpdateSet(sent))
    .execute();
  await appendAudit(ctx, deployment, { action: 'course.created', targetId: input.courseId, data: {} });
}

/** Deletes a course that has never had enrolments, with its options, releases and files. */
export async function deleteCourse(ctx: Context, input: { courseId: string }): Promise<void> {
  const releases = await transaction(ctx, (ctx) => deleteRows(ctx, input));
  for (const { release_id } of releases) await ctx.files.remove(release_id);
}

async function deleteRows(ctx: Context, { courseId }: { courseId: string }) {
  await rejectPart(ctx, courseId);
  const releases = await ctx.db
    .selectFrom('release')
    .select('release_id')
    .where('course_id', '=', courseId)
    .execute();
  const { numDeletedRows } = await ctx.db
    .deleteFrom('course')
    .where('course_id', '=', courseId)
    .executeTakeFirst()
    .catch(
      translateInUse(
        new Problem('course_in_use', 'Users are enrolled on this course. Set its Status to retired instead.'),
      ),
    );
  if (numDeletedRows === 0n) throw courseNotFound();
  await appendAudit(ctx, deployment, { action: 'course.deleted', targetId: courseId, data: {} });
  return releases;
}
