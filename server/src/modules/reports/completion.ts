import { tenantNow } from '../../platform/clocks.ts';
import type { TenantContext } from '../../platform/context.ts';
import type { CompletionDayTable } from '../../platform/db/generated.ts';
import { type AccessPath, scanRows } from '../../platform/db/list-scan.ts';
import type { Parameters } from '../../platform/db/parameters.ts';
import { run } from '../../platform/db/transaction.ts';
import { Problem } from '../../platform/errors.ts';
import {
  foreignCursor,
  type PageQuery,
  pageLimit,
  readCursor,
  toPage,
} from '../../platform/http/pagination.ts';
import { startCounting } from './count-completion.ts';
import type { Completion, CompletionBy } from './schemas.ts';

export type CompletionQuery = PageQuery & {
  By?: CompletionBy;
  CourseID?: string;
  GroupName?: string;
  AsOf?: string;
};

type Row = Omit<CompletionDayTable, 'tenant_id' | 'kind' | 'day'> & { course_title: string | null };

type Kind = { hasCourse: boolean; hasGroup: boolean };

/**
 * Lines by course that are filtered by group have both a course and a group, and so do lines by group that
 * are filtered by course.
 */
const kindOf = ({ By = 'course', CourseID, GroupName }: CompletionQuery): Kind => ({
  hasCourse: By === 'course' || By === 'course_and_group' || CourseID !== undefined,
  hasGroup: By === 'group' || By === 'course_and_group' || GroupName !== undefined,
});

function nameOf({ hasCourse, hasGroup }: Kind): string {
  if (hasCourse) return hasGroup ? 'course_and_group' : 'course';
  return hasGroup ? 'group' : 'total';
}

/** The figures of a line at the end of the day: those of the last day on which they changed. */
const figuresOf = (line: string, day: string) => `(
  select day.* from completion_day day
  where day.tenant_id = $1 and day.kind = ${line}.kind and day.course_id = ${line}.course_id
    and day.group_name = ${line}.group_name and day.day <= ${day}::date
  order by day.day desc limit 1
)`;

/**
 * Lists the lines of a report. Each line takes one look-up of its figures, regardless of the number
 * of enrolments.
 */
export async function listCompletion(ctx: TenantContext, input: CompletionQuery) {
  await rejectIncomplete(ctx);
  const limit = pageLimit(input);
  const kind = kindOf(input);
  const day = input.AsOf ?? tenantNow(ctx).toISOString().slice(0, 10);
  const { rows, end } = await scanRows<Row>(ctx, {
    rows: 'completion_line held where held.tenant_id = $1 and held.kind = $2',
    values: [ctx.tenantId, nameOf(kind), day],
    key: ['course_id', 'group_name'],
    after: readKey(readCursor(input)),
    accessPaths: [(parameters) => pathOf(input, parameters)],
    filter: () => `exists (
      select from ${figuresOf('held', '$3')} day
      where day.enrolled + day.in_progress + day.completed + day.expired + day.withdrawn > 0
    )`,
    show: (
      page,
    ) => `select held.*, course.title as course_title, day.enrolled, day.in_progress, day.completed,
      day.expired, day.withdrawn, day.passed, day.failed
      from (${page}) held left join course on course.course_id = held.course_id
      left join lateral ${figuresOf('held', '$3')} day on true`,
    wanted: limit,
  });
  return toPage(rows, limit, keyOf, (row) => toCompletion(row, kind), end);
}

function pathOf({ CourseID, GroupName }: CompletionQuery, { add }: Parameters): AccessPath {
  const course = CourseID === undefined ? 'true' : `held.course_id = ${add(CourseID)}`;
  if (GroupName === undefined) return { ranges: [course] };
  return { ranges: [course], fixed: { column: 'held.group_name', value: add(GroupName) } };
}

const keyOf = (row: Row) => JSON.stringify([row.course_id, row.group_name]);

function readKey(cursor: string | null): string[] | null {
  if (cursor === null) return null;
  try {
    const key: unknown = JSON.parse(cursor);
    const isText = (part: unknown) => typeof part === 'string' && part.isWellFormed() && !part.includes('\0');
    if (Array.isArray(key) && key.length === 2 && key.every(isText)) return key;
  } catch {}
  throw foreignCursor();
}

/** Completed enrolments as a percentage of the enrolments that were not withdrawn, to one decimal place. */
function rateOf(completed: number, relevant: number): number | null {
  return relevant === 0 ? null : Math.round((1_000 * completed) / relevant) / 10;
}

function toCompletion(row: Row, { hasCourse, hasGroup }: Kind): Completion {
  const relevant = row.enrolled + row.in_progress + row.completed + row.expired;
  return {
    CourseID: hasCourse ? row.course_id : null,
    CourseTitle: hasCourse ? row.course_title : null,
    GroupName: hasGroup && row.group_name !== '' ? row.group_name : null,
    Enrolments: relevant + row.withdrawn,
    NotStarted: row.enrolled,
    InProgress: row.in_progress,
    Completed: row.completed,
    Expired: row.expired,
    Withdrawn: row.withdrawn,
    Passed: row.passed,
    Failed: row.failed,
    CompletionRate: rateOf(row.completed, relevant),
  };
}

/**
 * Figures that are older than this are not shown. The job may need several runs before the first report of a
 * tenant.
 */
const maxBehindMinutes = 10;

const uncountedText = `
select event.occurred_at, not exists (select from completion_log where completion_log.tenant_id = $1) as is_first
from event
where event.tenant_id = $1 and event.position > coalesce((
  select completion_log.position from completion_log where completion_log.tenant_id = $1
), 0)
order by event.position limit 1`;

type Uncounted = { occurred_at: Date; is_first: boolean };

async function rejectIncomplete(ctx: TenantContext): Promise<void> {
  const values = [ctx.tenantId];
  const [first] = await run<Uncounted>(ctx, { name: 'first_uncounted_event', text: uncountedText, values });
  if (!first || (first.is_first && (await startCounting(ctx)))) return;
  const isRecent = tenantNow(ctx).getTime() - first.occurred_at.getTime() < maxBehindMinutes * 60_000;
  if (isRecent && !first.is_first) return;
  throw new Problem('unavailable', 'The events of this tenant are still being counted. Retry in a minute.', {
    retryAfter: 60,
  });
}
