import { sql } from 'kysely';
import { ownRows } from '../../db/own-rows.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { loose, nearest } from '../../lib/nearest.ts';
import { foldCase } from '../../lib/unicode.ts';
import { listOfferedCourses } from '../catalogue/offers.ts';
import { listGroups } from '../users/users.ts';
import { type DateOrder, orderOf } from './dates.ts';
import type { ImportRecord } from './record.ts';

type KnownCourse = { id: string; title: string };

/** What the rows of one import are compared with. */
export type Facts = {
  courses: readonly KnownCourse[];
  /** The existing group, or the first spelling in the file, by its name without case and spaces. */
  groups: ReadonlyMap<string, string>;
  existingGroups: readonly string[];
  /** The first line of each person, and of each of their courses. */
  people: ReadonlyMap<string, { line: number; loginId: string; courses: ReadonlyMap<string, number> }>;
  order: DateOrder;
};

type Names = {
  line: number;
  login_id: string | null;
  course: string | null;
  group_name: string | null;
  expires_at: string | null;
  due_at: string | null;
};

const cell = (name: string) => sql<string | null>`fields ->> ${sql.lit(name)}`;

function readNames(ctx: TenantContext, importId: string): Promise<Names[]> {
  const columns = ['line', 'login_id'] as const;
  return ownRows(ctx, 'import_row', { import_id: importId })
    .select([
      ...columns,
      cell('CourseID').as('course'),
      cell('GroupName').as('group_name'),
      cell('ExpiresAt').as('expires_at'),
      cell('DueAt').as('due_at'),
    ])
    .orderBy('line')
    .execute();
}

async function everyPage<T>(
  read: (query: { Limit: number; Cursor?: string }) => Promise<{ Items: T[]; NextCursor: string | null }>,
): Promise<T[]> {
  const all: T[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await read({ Limit: 200, ...(cursor === undefined ? {} : { Cursor: cursor }) });
    all.push(...page.Items);
    cursor = page.NextCursor;
  }
  return all;
}

export async function readCourses(ctx: TenantContext): Promise<KnownCourse[]> {
  const courses = await everyPage((query) => listOfferedCourses(ctx, query));
  return courses.map(({ CourseID, Title }) => ({ id: CourseID, title: Title }));
}

export async function readFacts(ctx: TenantContext, record: ImportRecord): Promise<Facts> {
  const { import_id, options } = record;
  const names = await readNames(ctx, import_id);
  const hasGroups = names.some(({ group_name }) => group_name !== null);
  const existing = hasGroups ? await everyPage((query) => listGroups(ctx, query)) : [];
  const hasCourses = options.CourseID !== undefined || names.some(({ course }) => course !== null);
  const groups = new Map<string, string>();
  for (const { GroupName } of existing) groups.set(loose(GroupName), GroupName);
  for (const { group_name: name } of names)
    if (name !== null && !groups.has(loose(name))) groups.set(loose(name), name);
  return {
    courses: hasCourses ? await readCourses(ctx) : [],
    groups,
    existingGroups: existing.map(({ GroupName }) => GroupName),
    people: peopleIn(names),
    order:
      options.DateOrder ??
      orderOf(names.flatMap(({ expires_at, due_at }) => [expires_at ?? [], due_at ?? []].flat())),
  };
}

function peopleIn(names: readonly Names[]): Facts['people'] {
  const people = new Map<string, { line: number; loginId: string; courses: Map<string, number> }>();
  for (const { line, login_id: loginId, course } of names) {
    if (loginId === null) continue;
    const key = foldCase(loginId);
    const known = people.get(key) ?? { line, loginId, courses: new Map<string, number>() };
    people.set(key, known);
    const courseKey = loose(course ?? '');
    if (!known.courses.has(courseKey)) known.courses.set(courseKey, line);
  }
  return people;
}

export type FoundCourse =
  | { courseId: string }
  | { detail: string; code: 'course_not_found' | 'ambiguous_course'; nearest: string | null };

export function findCourse(courses: readonly KnownCourse[], text: string): FoundCourse {
  const exact = courses.find(({ id }) => id === text);
  if (exact) return { courseId: exact.id };
  const wanted = loose(text);
  const same = courses.filter(({ id, title }) => loose(title) === wanted || loose(id) === wanted);
  const [only, another] = same;
  if (only && !another) return { courseId: only.id };
  if (only && another) {
    const ids = same.slice(0, 5).map(({ id }) => id);
    const detail = `${same.length} courses are called “${text}”. Use a CourseID: ${ids.join(', ')}.`;
    return { code: 'ambiguous_course', detail, nearest: null };
  }
  const near =
    nearest(text, courses, ({ title }) => title) ?? nearest(text, courses, ({ id }) => id) ?? undefined;
  const help = near
    ? `Did you mean “${near.title}” (${near.id})?`
    : 'Use the CourseID or the title of a course.';
  const detail = `No course has the ID or the title “${text}”. ${help}`;
  return { code: 'course_not_found', detail, nearest: near?.id ?? null };
}

/** An existing LoginID that begins with the same letter and was probably meant. */
export async function nearestLogin(ctx: TenantContext, loginId: string): Promise<string | null> {
  const starts = new Set([loginId.slice(0, 2), loginId.slice(0, 2).toLowerCase(), loginId.slice(0, 1)]);
  for (const start of starts) {
    const rows = await ownRows(ctx, 'user')
      .select('login_id')
      .where('login_id', '>=', start)
      .where('login_id', '<', `${start}\u{10ffff}`)
      .orderBy('login_id')
      .limit(500)
      .execute();
    const found = nearest(loginId, rows, ({ login_id }) => login_id);
    if (found) return found.login_id;
  }
  return null;
}
