import type { CompletionDayTable } from '../../db/engine/generated.ts';
import type { Condition } from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import {
  foreignCursor,
  type Page,
  type PageQuery,
  page,
  pageLimit,
  readCursor,
  toPage,
} from '../../http/pagination.ts';
import { recordOf } from '../../http/records.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { isStorable } from '../../lib/unicode.ts';
import { outcomes } from '../enrolments/record/states.ts';
import type { PeopleFilter } from '../users/groups.ts';
import { accessCounter } from './count-access.ts';
import { activities, countNextActivity } from './count-activity.ts';
import { completionCounter } from './count-completion.ts';
import { rejectIncomplete } from './event-counter.ts';
import {
  type ActivityRow,
  activityOfPeople,
  isOfSome,
  linesOfPeople,
  rejectPast,
} from './figures-of-people.ts';
import { dayAfter, dayOf, lengthOf, type Period, splitRange, startOf, type Unit } from './periods.ts';
import {
  type Access,
  type Activity,
  Completion,
  type Day,
  type LineBy,
  maxDays,
  type ActivityQuery as Query,
} from './schemas.ts';

/** The parameters of reports that have a line for each course, group, or pair of both. */
export type LinesQuery = PageQuery & PeopleFilter & { By?: LineBy; CourseID?: string; AsOf?: string };

type LineRow = { course_id: string; group_name: string; course_title: string | null };
type FigureRow = LineRow & Omit<CompletionDayTable, 'tenant_id' | 'kind' | 'day'>;

type Kind = { hasCourse: boolean; hasGroup: boolean };

/**
 * Lines by course that are filtered by group have both a course and a group, and so do lines by group that
 * are filtered by course.
 */
const kindOf = ({ By = 'course', CourseID, GroupName }: LinesQuery): Kind => ({
  hasCourse: By === 'course' || By === 'course_and_group' || CourseID !== undefined,
  hasGroup: By === 'group' || By === 'course_and_group' || GroupName !== undefined,
});

function nameOf({ hasCourse, hasGroup }: Kind): string {
  if (hasCourse) return hasGroup ? 'course_and_group' : 'course';
  return hasGroup ? 'group' : 'total';
}

/** The day at whose end the figures are reported: today, for the latest figures, unless an earlier day is requested. */
function dayOfReport(ctx: TenantContext, { AsOf, ...input }: LinesQuery): string {
  const today = dayOf(tenantNow(ctx));
  if (AsOf === undefined || AsOf >= today) return today;
  rejectPast(input);
  return AsOf;
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

/** Lists the lines of a report. Each line takes one look-up of its figures, regardless of the number of enrolments. */
function listLines<R extends LineRow, T>(
  ctx: TenantContext,
  input: LinesQuery,
  { day, isShown, columns, join = '' }: Lines,
  record: (row: R) => T,
): Promise<Page<T>> {
  const { CourseID, GroupName } = input;
  const common = { key: ['course_id', 'group_name'], after: readKey(readCursor(input)) };
  if (isOfSome(input))
    return page<R, T>(
      ctx,
      input,
      {
        ...common,
        ...linesOfPeople(ctx, input, { day, kind: kindOf(input) }),
        where: [() => isShown.replaceAll('day.', 'held.')],
        show: (page) => `select held.*, course.title as course_title
      from (${page}) held left join course on course.course_id = held.course_id`,
      },
      keyOf,
      record,
    );
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
      ...common,
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

const placeOf = (row: LineRow, { hasCourse, hasGroup }: Kind) => ({
  CourseID: hasCourse ? row.course_id : null,
  CourseTitle: hasCourse ? row.course_title : null,
  GroupName: hasGroup && row.group_name !== '' ? row.group_name : null,
});

export async function listCompletion(ctx: TenantContext, input: LinesQuery) {
  const day = dayOfReport(ctx, input);
  await rejectIncomplete(ctx, [completionCounter]);
  const kind = kindOf(input);
  const lines = {
    day,
    isShown: `${outcomes.map((outcome) => `day.${outcome}`).join(' + ')} > 0`,
    columns: outcomes.map((outcome) => `day.${outcome}`).join(', '),
  };
  return listLines<FigureRow, Completion>(ctx, input, lines, (row) => toCompletion(row, { kind, day }));
}

/** Completed enrolments as a percentage of the enrolments that were not withdrawn, to one decimal place. */
function rateOf(completed: number, relevant: number): number | null {
  return relevant === 0 ? null : Math.round((1_000 * completed) / relevant) / 10;
}

function toCompletion(row: FigureRow, { kind, day }: { kind: Kind; day: string }): Completion {
  const completed = row.passed + row.completed;
  const relevant = row.not_started + row.in_progress + completed + row.failed + row.expired;
  return recordOf(Completion, row, {
    ...placeOf(row, kind),
    Enrolments: relevant + row.withdrawn,
    Completed: completed,
    CompletionRate: rateOf(completed, relevant),
    AsOf: day,
  });
}

type AccessRow = LineRow & { open: number; overdue: number; week: number; month: number };

/** Reads at most 31 rows per line, whatever the number of enrolments. */
const endsText = `left join lateral (
  select coalesce(sum(ending.enrolments) filter (where ending.day <= $3::date + 7), 0)::integer as week,
    coalesce(sum(ending.enrolments), 0)::integer as month
  from access_end ending
  where ending.tenant_id = $1 and ending.kind = held.kind and ending.course_id = held.course_id
    and ending.group_name = held.group_name and ending.day between $3::date and $3::date + 30
) ends on true`;

/**
 * Lists the lines of the report. For past days, it is not known when access was going to end, because the event log
 * does not contain ends.
 */
export async function listAccess(ctx: TenantContext, input: LinesQuery) {
  const today = dayOf(tenantNow(ctx));
  const day = dayOfReport(ctx, input);
  const isPast = day < today;
  await rejectIncomplete(ctx, isPast ? [completionCounter] : [completionCounter, accessCounter]);
  const kind = kindOf(input);
  const lines = {
    day,
    isShown: 'day.open + day.overdue > 0',
    columns: 'day.open, day.overdue, ends.week, ends.month',
    join: endsText,
  };
  return listLines<AccessRow, Access>(ctx, input, lines, (row) => toAccess(row, { kind, day, isPast }));
}

function toAccess(
  row: AccessRow,
  { kind, day, isPast }: { kind: Kind; day: string; isPast: boolean },
): Access {
  return {
    ...placeOf(row, kind),
    Open: row.open,
    EndsWithin7Days: isPast ? null : row.week,
    EndsWithin30Days: isPast ? null : row.month,
    Overdue: row.overdue,
    AsOf: day,
  };
}

export type ActivityQuery = PageQuery & Query;

type Place = PeopleFilter & { unit: Unit; CourseID?: string };

const names = Object.keys(activities);

/** Each day takes one row. `start` is the first day of the calendar period. */
const readText = `
select to_char(date_trunc($7::text, own.day::timestamp), 'YYYY-MM-DD') as start,
  ${names.map((name) => `sum(own.${name})::integer as ${name}`).join(', ')}
from activity_day own
where own.tenant_id = $1 and own.kind = $2 and own.course_id = $3 and own.group_name = $4
  and own.day between $5::date and $6::date
group by 1`;

function placeKind({ CourseID, GroupName }: Place): string {
  if (CourseID === undefined) return GroupName === undefined ? 'total' : 'group';
  return GroupName === undefined ? 'course' : 'course_and_group';
}

/** The counts of consecutive periods, which may be zero. */
async function readActivity(
  ctx: TenantContext,
  { periods, ...place }: Place & { periods: readonly Period[] },
): Promise<Activity[]> {
  const [first, last] = [periods[0], periods.at(-1)];
  if (!first || !last) return [];
  const { CourseID = '', GroupName = '', unit } = place;
  const rows = isOfSome(place)
    ? await activityOfPeople(ctx, place, { from: first.from, to: last.to })
    : await run<ActivityRow>(ctx, readText, [
        ctx.tenantId,
        placeKind(place),
        CourseID,
        GroupName,
        first.from,
        last.to,
        unit,
      ]);
  const byStart = new Map(rows.map((row) => [row.start, row]));
  return periods.map((period) => toActivity(period, byStart.get(startOf(unit, period.from))));
}

const toActivity = ({ from, to }: Period, row: ActivityRow | undefined): Activity => ({
  From: from,
  To: to,
  Enrolments: row?.enrolments ?? 0,
  Starts: row?.starts ?? 0,
  Launches: row?.launches ?? 0,
  Completions: row?.completions ?? 0,
  Passed: row?.passed ?? 0,
  Failed: row?.failed ?? 0,
  Expired: row?.expired ?? 0,
  Withdrawn: row?.withdrawn ?? 0,
});

/** How many batches a report counts itself. The job counts the rest. */
const maxBatches = 10;

export async function listActivity(ctx: TenantContext, input: ActivityQuery): Promise<Page<Activity>> {
  const { Unit: unit = 'day' } = input;
  const range = rangeOf(ctx, input);
  const limit = pageLimit(input);
  const after = readDay(readCursor(input));
  await countAll(ctx);
  const rest = { ...range, from: after === null ? range.from : dayAfter(after, 1) };
  const periods = splitRange(rest, unit, limit + 1);
  const rows = await readActivity(ctx, { ...input, periods, unit });
  return toPage(
    rows,
    limit,
    ({ To }) => To,
    (row) => row,
  );
}

async function countAll(ctx: TenantContext): Promise<void> {
  for (let batch = 0; batch < maxBatches; batch++) if (!(await countNextActivity(ctx))) return;
  throw new Problem('unavailable', 'The events of this tenant are still being counted. Retry in a minute.', {
    retryAfter: 60,
  });
}

/** The range of the report: by default the last 30 days, including today. */
function rangeOf(ctx: TenantContext, { From, To }: ActivityQuery): Period {
  const to = To ?? dayOf(tenantNow(ctx));
  const from = From ?? dayAfter(to, -29);
  if (from > to) throw invalid('From', `From (${from}) is after To (${to}). Send an earlier From.`);
  if (lengthOf({ from, to }) > maxDays)
    throw invalid('From', `A report covers at most ${maxDays} days. Send a later From or an earlier To.`);
  return { from, to };
}

function readDay(cursor: string | null): string | null {
  if (cursor === null) return null;
  if (/^[12]\d{3}-\d\d-\d\d$/.test(cursor) && !Number.isNaN(Date.parse(cursor))) return cursor;
  throw foreignCursor();
}

/**
 * Returns the counts for each of the last days, including today: those of the activity report without filters. Returns
 * null if there are more events to count.
 */
export async function countDays(ctx: TenantContext, input: { days: number }): Promise<Day[] | null> {
  if (await countNextActivity(ctx)) return null;
  const to = dayOf(tenantNow(ctx));
  const from = dayAfter(to, 1 - input.days);
  const periods = Array.from({ length: input.days }, (_, n) => dayAfter(from, n)).map((day) => ({
    from: day,
    to: day,
  }));
  const activity = await readActivity(ctx, { periods, unit: 'day' });
  return activity.map(({ From, Enrolments, Starts, Completions }) => ({
    Day: From,
    Enrolments,
    Starts,
    Completions,
  }));
}
