import type { Page } from '../../../http/pagination.ts';
import { rowWriter } from '../../../http/rows/rows.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { dayOf as dayIn } from '../../../lib/days.ts';
import type { MailReport } from '../../mail/kinds.ts';
import { type ComplianceQuery, listCompliance } from '../../requirements/compliance.ts';
import { Compliance } from '../../requirements/schemas.ts';
import { accessCounter } from '../count-access.ts';
import { completionCounter } from '../count-completion.ts';
import { startCounting } from '../event-counter.ts';
import { type ActivityQuery, type LinesQuery, listAccess, listActivity, listCompletion } from '../figures.ts';
import { dayAfter, dayOf } from '../periods.ts';
import { Access, Activity, Completion } from '../schemas.ts';
import type { ScheduleRow } from './record.ts';

/**
 * One report, as its query to the API. Its days are past, so reading it again gives the same lines, except for an
 * access report, which shows the figures at the time when it is read.
 */
export type Report = {
  name: ScheduleRow['report'];
  query: Readonly<Record<string, string>>;
  from: string | null;
  to: string;
};

/**
 * What a run of the schedule reports: the days up to yesterday, or access as it is now. `today` of compliance is that of
 * the tenant's time zone.
 */
export function reportOf(row: ScheduleRow, now: Date, zone: string): Report {
  const name = row.report;
  const today = name === 'compliance' ? dayIn(now, zone) : dayOf(now);
  const filters = {
    ...(row.course_id !== null && { CourseID: row.course_id }),
    ...(row.requirement_id !== null && { RequirementID: row.requirement_id }),
    ...(row.group_name !== null && { GroupName: row.group_name }),
  };
  const lines = { By: row.by ?? 'course', ...filters };
  if (name === 'access') return { name, query: lines, from: null, to: today };
  const to = dayAfter(today, -1);
  if (name === 'completion' || name === 'compliance')
    return { name, query: { ...lines, AsOf: to }, from: null, to };
  const from = dayAfter(to, 1 - (row.days ?? 1));
  return { name, query: { Unit: row.unit ?? 'day', ...filters, From: from, To: to }, from, to };
}

/** An access report has the figures of the day on which it is read, even if its email was delayed. */
export const asRead = (report: MailReport, now: Date): MailReport =>
  report.report === 'access' ? { ...report, to: dayOf(now) } : report;

export const reportPath = ({ name, query }: Pick<Report, 'name' | 'query'>) =>
  `/report/${name}?${new URLSearchParams(query)}`;

type Read = (page: { Limit: number; Cursor?: string }) => Promise<Page<Record<string, unknown>>>;

/** The casts are safe: `reportOf` writes these queries. */
function readerOf(ctx: TenantContext, { name, query }: Pick<Report, 'name' | 'query'>): Read {
  if (name === 'activity') return (page) => listActivity(ctx, { ...(query as ActivityQuery), ...page });
  if (name === 'compliance') return (page) => listCompliance(ctx, { ...(query as ComplianceQuery), ...page });
  const list = name === 'access' ? listAccess : listCompletion;
  return (page) => list(ctx, { ...(query as LinesQuery), ...page });
}

/** Counts the latest events, and throws a problem if the report is not available yet. */
export async function tryReport(ctx: TenantContext, report: Report): Promise<void> {
  if (report.name === 'completion' || report.name === 'access') await startCounting(ctx, completionCounter);
  if (report.name === 'access') await startCounting(ctx, accessCounter);
  await readerOf(ctx, report)({ Limit: 1 });
}

/** Larger files are not attached to emails. */
const maxBytes = 1024 ** 2;
/** Rows per statement, as in exports. */
const pageRows = 25;

const columnsOf = { completion: Completion, activity: Activity, access: Access, compliance: Compliance };

/** A report that takes longer to read is not attached either, because an email's connection waits for it. */
const maxMilliseconds = 5_000;

/** The report as CSV; null if it is too large to be attached. */
export async function writeReport(ctx: TenantContext, { report, query }: MailReport): Promise<string | null> {
  const read = readerOf(ctx, { name: report, query });
  const end = performance.now() + maxMilliseconds;
  const write = rowWriter('csv', Object.keys(columnsOf[report].properties));
  let text = '';
  for (let Cursor: string | null | undefined; Cursor !== null; ) {
    const page = await read({ Limit: pageRows, ...(Cursor === undefined ? {} : { Cursor }) });
    text += write(page.Items);
    if (Buffer.byteLength(text) > maxBytes || performance.now() > end) return null;
    Cursor = page.NextCursor;
  }
  return text;
}
