import { tenantNow } from '../../platform/clocks.ts';
import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { Problem } from '../../platform/errors.ts';
import {
  foreignCursor,
  type Page,
  type PageQuery,
  pageLimit,
  readCursor,
  toPage,
} from '../../platform/http/pagination.ts';
import { type ActivityName, activities, countNextActivity } from './count-activity.ts';
import { dayAfter, dayOf, lengthOf, type Period, splitRange, startOf, type Unit } from './periods.ts';
import { type Activity, maxDays, type ActivityQuery as Query } from './schemas.ts';

export type ActivityQuery = PageQuery & Query;

type Place = { unit: Unit; CourseID?: string | undefined; GroupName?: string | undefined };
type Row = Record<ActivityName, number> & { start: string };

const names = Object.keys(activities);

/** Each day takes one row. `start` is the first day of the calendar period. */
const readText = `
select to_char(date_trunc($7::text, own.day::timestamp), 'YYYY-MM-DD') as start,
  ${names.map((name) => `sum(own.${name})::integer as ${name}`).join(', ')}
from activity_day own
where own.tenant_id = $1 and own.kind = $2 and own.course_id = $3 and own.group_name = $4
  and own.day between $5::date and $6::date
group by 1`;

function kindOf({ CourseID, GroupName }: Place): string {
  if (CourseID === undefined) return GroupName === undefined ? 'total' : 'group';
  return GroupName === undefined ? 'course' : 'course_and_group';
}

/** The counts of consecutive periods, which may be zero. */
export async function readActivity(
  ctx: TenantContext,
  { periods, ...place }: Place & { periods: readonly Period[] },
): Promise<Activity[]> {
  const [first, last] = [periods[0], periods.at(-1)];
  if (!first || !last) return [];
  const { CourseID = '', GroupName = '', unit } = place;
  const rows = await run<Row>(ctx, {
    name: 'report_activity',
    text: readText,
    values: [ctx.tenantId, kindOf(place), CourseID, GroupName, first.from, last.to, unit],
  });
  const byStart = new Map(rows.map((row) => [row.start, row]));
  return periods.map((period) => toActivity(period, byStart.get(startOf(unit, period.from))));
}

const toActivity = ({ from, to }: Period, row: Row | undefined): Activity => ({
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
  const { Unit: unit = 'day', CourseID, GroupName } = input;
  const range = rangeOf(ctx, input);
  const limit = pageLimit(input);
  const after = readDay(readCursor(input));
  await countAll(ctx);
  const rest = { ...range, from: after === null ? range.from : dayAfter(after, 1) };
  const periods = splitRange(rest, unit, limit + 1);
  const rows = await readActivity(ctx, { periods, unit, CourseID, GroupName });
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
  if (from > to)
    throw new Problem('validation_failed', `From (${from}) is after To (${to}). Send an earlier From.`, {
      param: 'From',
    });
  if (lengthOf({ from, to }) > maxDays)
    throw new Problem(
      'validation_failed',
      `A report covers at most ${maxDays} days. Send a later From or an earlier To.`,
      { param: 'From' },
    );
  return { from, to };
}

function readDay(cursor: string | null): string | null {
  if (cursor === null) return null;
  if (/^[12]\d{3}-\d\d-\d\d$/.test(cursor) && !Number.isNaN(Date.parse(cursor))) return cursor;
  throw foreignCursor();
}
