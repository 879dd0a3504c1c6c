import { tenantNow } from '../../platform/clocks.ts';
import type { TenantContext } from '../../platform/context.ts';
import type { CompletionDayTable } from '../../platform/db/generated.ts';
import type { Condition } from '../../platform/db/page.ts';
import {
  foreignCursor,
  type Page,
  type PageQuery,
  page,
  readCursor,
} from '../../platform/http/pagination.ts';
import { isStorable } from '../../platform/unicode.ts';
import { dayOf } from './periods.ts';
import type { LineBy } from './schemas.ts';

/** The parameters of reports that have a line for each course, group, or pair of both. */
export type LinesQuery = PageQuery & {
  By?: LineBy;
  CourseID?: string;
  GroupName?: string;
  AsOf?: string;
};

export type LineRow = { course_id: string; group_name: string; course_title: string | null };
export type FigureRow = LineRow & Omit<CompletionDayTable, 'tenant_id' | 'kind' | 'day'>;

export type Kind = { hasCourse: boolean; hasGroup: boolean };

/**
 * Lines by course that are filtered by group have both a course and a group, and so do lines by group that
 * are filtered by course.
 */
export const kindOf = ({ By = 'course', CourseID, GroupName }: LinesQuery): Kind => ({
  hasCourse: By === 'course' || By === 'course_and_group' || CourseID !== undefined,
  hasGroup: By === 'group' || By === 'course_and_group' || GroupName !== undefined,
});

function nameOf({ hasCourse, hasGroup }: Kind): string {
  if (hasCourse) return hasGroup ? 'course_and_group' : 'course';
  return hasGroup ? 'group' : 'total';
}

/** The day at whose end the figures are reported: today, for the latest figures, unless an earlier day is requested. */
export function dayOfReport(ctx: TenantContext, { AsOf }: LinesQuery): string {
  const today = dayOf(tenantNow(ctx));
  return AsOf !== undefined && AsOf < today ? AsOf : today;
}

/** The figures of a line at the end of the day: those of the last day on which they changed. */
const figuresOf = (line: string, day: string) => `(
  select day.* from completion_day day
  where day.tenant_id = $1 and day.kind = ${line}.kind and day.course_id = ${line}.course_id
    and day.group_name = ${line}.group_name and day.day <= ${day}::date
  order by day.day desc limit 1
)`;

type Lines = {
  day: string;
  /** SQL: which lines are listed, by their figures `day`. */
  isShown: string;
  /** SQL for the columns of the report, from the figures `day` and from `join`. */
  columns: string;
  /** SQL that joins further figures to the lines `held`. `$1` is the tenant, `$3` the day. */
  join?: string;
};

/**
 * Lists the lines of a report. Each line takes one look-up of its figures, regardless of the number
 * of enrolments.
 */
export function listLines<R extends LineRow, T>(
  ctx: TenantContext,
  input: LinesQuery,
  { day, isShown, columns, join = '' }: Lines,
  record: (row: R) => T,
): Promise<Page<T>> {
  const { CourseID, GroupName } = input;
  const where: Condition[] = [() => `exists (select from ${figuresOf('held', '$3')} day where ${isShown})`];
  if (CourseID !== undefined) where.push(({ add }) => `held.course_id = ${add(CourseID)}`);
  if (GroupName !== undefined) where.push(({ add }) => `held.group_name = ${add(GroupName)}`);
  return page<R, T>(
    ctx,
    input,
    {
      rows: 'completion_line held where held.tenant_id = $1 and held.kind = $2',
      values: [ctx.tenantId, nameOf(kindOf(input)), day],
      where,
      key: ['course_id', 'group_name'],
      after: readKey(readCursor(input)),
      show: (page) => `select held.*, course.title as course_title, ${columns}
      from (${page}) held left join course on course.course_id = held.course_id
      left join lateral ${figuresOf('held', '$3')} day on true ${join}`,
    },
    keyOf,
    record,
  );
}

const keyOf = (row: LineRow) => JSON.stringify([row.course_id, row.group_name]);

function readKey(cursor: string | null): string[] | null {
  if (cursor === null) return null;
  try {
    const key: unknown = JSON.parse(cursor);
    const isText = (part: unknown) => typeof part === 'string' && isStorable(part);
    if (Array.isArray(key) && key.length === 2 && key.every(isText)) return key;
  } catch {}
  throw foreignCursor();
}

/** The course and the group of a line, where it has them. */
export const placeOf = (row: LineRow, { hasCourse, hasGroup }: Kind) => ({
  CourseID: hasCourse ? row.course_id : null,
  CourseTitle: hasCourse ? row.course_title : null,
  GroupName: hasGroup && row.group_name !== '' ? row.group_name : null,
});
