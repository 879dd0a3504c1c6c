import { deleteOwn, ownRows, updateOwn } from '../../../db/own-rows.ts';
import { run, transaction } from '../../../db/transaction.ts';
import { type Page, type PageQuery, pageLimit, readCursor, toPage } from '../../../http/pagination.ts';
import { type TenantContext, tenantNow } from '../../../infra/context/context.ts';
import { Problem } from '../../../lib/errors.ts';
import { isId, newId } from '../../../lib/ids.ts';
import { differences } from '../../../lib/tables.ts';
import { audit } from '../../audit/chain.ts';
import { chooseRecipients, storeRecipients } from './recipients.ts';
import {
  readScheduleRow,
  type ScheduleRow,
  scheduleNotFound,
  timesOf,
  toOneSchedule,
  toSchedules,
} from './record.ts';
import {
  maxSchedules,
  type NewReportSchedule,
  type ReportSchedule,
  type ReportScheduleChange,
} from './schemas.ts';
import { recipientsOf, type Settings, settingsOf } from './settings.ts';
import { nextRun } from './times.ts';

/** Minimum time between two runs, so that changes and requests cannot fill the queue of emails. */
const pauseMilliseconds = 10 * 60_000;

type Handle = { scheduleId: string };

const insert = `
insert into report_schedule (tenant_id, schedule_id, name, report, by, unit, days, course_id, requirement_id, group_name, every,
  weekday, month_day, time, time_zone, delivery, status, next_run_at, created_at, updated_at)
select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $19
where (select count(*) from report_schedule other where other.tenant_id = $1) < ${maxSchedules}
returning *`;

/** When the schedule runs next after now; null if it is paused. */
export function nextRunOf(
  settings: Settings,
  { now, lastRun }: { now: Date; lastRun: Date | null },
): Date | null {
  if (settings.status === 'paused') return null;
  const earliest = Math.max(now.getTime(), (lastRun?.getTime() ?? 0) + pauseMilliseconds);
  return nextRun(timesOf(settings), lastRun === null ? now : new Date(earliest));
}

function rejectWithoutMail(ctx: TenantContext, settings: Settings): void {
  if (settings.delivery === 'email' && ctx.config.mail === null)
    throw new Problem(
      'mail_not_configured',
      'This service cannot send email. Set Delivery to webhook, or ask the operator to set SMTP_URL.',
    );
}

export async function createSchedule(ctx: TenantContext, input: NewReportSchedule): Promise<ReportSchedule> {
  const now = tenantNow(ctx);
  const settings = settingsOf(input, null);
  const loginIds = recipientsOf(input, null);
  rejectWithoutMail(ctx, settings);
  const scheduleId = newId(now);
  const values = [
    ...[ctx.tenantId, scheduleId, settings.name, settings.report, settings.by, settings.unit],
    ...[
      settings.days,
      settings.course_id,
      settings.requirement_id,
      settings.group_name,
      settings.every,
      settings.weekday,
    ],
    ...[settings.month_day, settings.time, settings.time_zone, settings.delivery, settings.status],
    ...[nextRunOf(settings, { now, lastRun: null }), now],
  ];
  return transaction(ctx, async (ctx) => {
    const recipients = await chooseRecipients(ctx, loginIds, settings.report);
    const [row] = await run<ScheduleRow>(ctx, insert, values);
    if (!row)
      throw new Problem(
        'schedule_limit',
        `A tenant can have at most ${maxSchedules} scheduled reports. Delete one first.`,
      );
    await storeRecipients(ctx, { scheduleId, recipients });
    await audit(ctx, 'report_schedule.created', scheduleId, { Recipients: recipients.length });
    return toOneSchedule(ctx, row);
  });
}

export async function readSchedule(ctx: TenantContext, input: Handle): Promise<ReportSchedule> {
  return toOneSchedule(ctx, await readScheduleRow(ctx, input));
}

export async function listSchedules(ctx: TenantContext, input: PageQuery): Promise<Page<ReportSchedule>> {
  const limit = pageLimit(input);
  const after = readCursor(input);
  let query = ownRows(ctx, 'report_schedule').selectAll();
  if (after !== null && isId(after)) query = query.where('schedule_id', '>', after);
  const rows = await query
    .orderBy('schedule_id')
    .limit(limit + 1)
    .execute();
  return toPage(
    await toSchedules(ctx, rows),
    limit,
    ({ ScheduleID }) => ScheduleID,
    (schedule) => schedule,
  );
}

const timeColumns = ['every', 'weekday', 'month_day', 'time', 'time_zone', 'status'] as const;

/** Changes the given fields; the others keep their values. */
export async function updateSchedule(
  ctx: TenantContext,
  { scheduleId, ...input }: ReportScheduleChange & Handle,
): Promise<ReportSchedule> {
  return transaction(ctx, async (ctx) => {
    const found = await toOneSchedule(ctx, await readScheduleRow(ctx, { scheduleId }));
    // Users are locked before schedules. Recipients that stay may no longer be administrators.
    const loginIds = recipientsOf(input, found);
    const recipients =
      input.Recipients === undefined
        ? null
        : await chooseRecipients(ctx, loginIds, input.Report ?? found.Report);
    const row = await readScheduleRow(ctx, { scheduleId, lock: true });
    const before = await toOneSchedule(ctx, row);
    const settings = settingsOf(input, before);
    if (settings.delivery !== before.Delivery) rejectWithoutMail(ctx, settings);
    const isMoved = timeColumns.some((name) => settings[name] !== row[name]);
    const now = tenantNow(ctx);
    const next = { attempts: 0, next_run_at: nextRunOf(settings, { now, lastRun: row.last_run_at }) };
    const changed = await updateOwn(ctx, 'report_schedule', { schedule_id: scheduleId })
      .set({ ...settings, updated_at: now, ...(isMoved && next) })
      .returningAll()
      .executeTakeFirst();
    if (!changed) throw scheduleNotFound();
    if (recipients) await storeRecipients(ctx, { scheduleId, recipients });
    else if (settings.delivery === 'webhook') await storeRecipients(ctx, { scheduleId, recipients: [] });
    const after = await toOneSchedule(ctx, changed);
    const Changed = differences(after, before).filter((name) => name in input || name === 'Recipients');
    if (Changed.length > 0) await audit(ctx, 'report_schedule.changed', scheduleId, { Changed });
    return after;
  });
}

/** Cancels the emails of earlier runs that have not been sent yet. */
export async function deleteSchedule(ctx: TenantContext, { scheduleId }: Handle): Promise<ReportSchedule> {
  return transaction(ctx, async (ctx) => {
    const schedule = await toOneSchedule(ctx, await readScheduleRow(ctx, { scheduleId, lock: true }));
    await deleteOwn(ctx, 'report_schedule', { schedule_id: scheduleId }).execute();
    await audit(ctx, 'report_schedule.deleted', scheduleId);
    return schedule;
  });
}

/** Makes the report due now. Requests before it has run have no further effect. */
export async function requestRun(ctx: TenantContext, { scheduleId }: Handle): Promise<ReportSchedule> {
  return transaction(ctx, async (ctx) => {
    const row = await readScheduleRow(ctx, { scheduleId, lock: true });
    const now = tenantNow(ctx);
    const until = row.last_problem === null ? (row.last_run_at?.getTime() ?? 0) + pauseMilliseconds : 0;
    if (until > now.getTime())
      throw new Problem(
        'too_many_requests',
        'The report ran less than ten minutes ago. Its emails and events may still be under way.',
        { retryAfter: Math.ceil((until - now.getTime()) / 1_000) },
      );
    const due = await updateOwn(ctx, 'report_schedule', { schedule_id: scheduleId })
      .set({ next_run_at: now, attempts: 0 })
      .returningAll()
      .executeTakeFirst();
    if (!due) throw scheduleNotFound();
    await audit(ctx, 'report_schedule.run_requested', scheduleId);
    return toOneSchedule(ctx, due);
  });
}
