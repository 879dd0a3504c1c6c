import { ownRows, updateOwn } from '../../../db/own-rows.ts';
import { limitLockWaits, transaction } from '../../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../../infra/context/context.ts';
import { Problem } from '../../../lib/errors.ts';
import { appendEvents } from '../../events/append.ts';
import { queueMails } from '../../mail/queue.ts';
import { timeZoneOf } from '../../tenants/time-zone.ts';
import { currentRecipients, type Recipient } from './recipients.ts';
import { type ScheduleRow, timesOf } from './record.ts';
import { type Report, reportOf, reportPath, tryReport } from './report.ts';
import type { ScheduleProblem } from './schemas.ts';
import { nextRun } from './times.ts';

const minute = 60_000;
/** Pauses before each further attempt. After the last one, the next regular run follows. */
const pauses = [minute, 5 * minute, 15 * minute, 60 * minute];

/** After this time, an email that the mail server has not accepted is out of date. */
const mailMilliseconds = 3 * 86_400_000;

function findDue(ctx: TenantContext): Promise<ScheduleRow | undefined> {
  return ownRows(ctx, 'report_schedule')
    .selectAll()
    .where('next_run_at', '<=', tenantNow(ctx))
    .orderBy('next_run_at')
    .limit(1)
    .executeTakeFirst();
}

/**
 * Locks the schedule, unless another node is running it or has run it since `row` was read. Together with the
 * change of `next_run_at` in the same transaction, each run happens once.
 */
async function claim(ctx: TenantContext, row: ScheduleRow): Promise<boolean> {
  const held = await ownRows(ctx, 'report_schedule', {
    schedule_id: row.schedule_id,
    next_run_at: row.next_run_at,
    updated_at: row.updated_at,
  })
    .select('schedule_id')
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  return held !== undefined;
}

/**
 * Runs the tenant's next due report. Runs that were missed, because no node was running, are not made up for: only one
 * report is sent. Returns whether a report has been run, successfully or not.
 */
export async function runNext(ctx: TenantContext): Promise<boolean> {
  const row = await findDue(ctx);
  if (!row) return false;
  const now = tenantNow(ctx);
  const report = reportOf(row, now, await timeZoneOf(ctx));
  try {
    const problem = await prepare(ctx, row, report);
    return await transaction(ctx, async (ctx) => {
      await limitLockWaits(ctx);
      // Users are locked before schedules.
      const recipients = row.delivery === 'email' ? await currentRecipients(ctx, row) : [];
      if (!(await claim(ctx, row))) return false;
      const missing = row.delivery === 'email' && recipients.length === 0 ? 'no_recipients' : null;
      if (problem === null && missing === null) await deliver(ctx, { row, report, recipients });
      await record(ctx, row, { now, problem: problem ?? missing });
      return true;
    });
  } catch (error) {
    ctx.log.warn({ err: error, tenant: ctx.tenantId, schedule: row.schedule_id }, 'a report was not sent');
    return transaction(ctx, async (ctx) => {
      await limitLockWaits(ctx);
      if (!(await claim(ctx, row))) return false;
      await record(ctx, row, { now, problem: 'failed' });
      return true;
    });
  }
}

/** Checks beforehand what takes longer. */
async function prepare(
  ctx: TenantContext,
  row: ScheduleRow,
  report: Report,
): Promise<ScheduleProblem | null> {
  if (row.delivery === 'email' && ctx.config.mail === null) return 'mail_not_configured';
  try {
    await tryReport(ctx, report);
    return null;
  } catch (error) {
    if (error instanceof Problem && error.code === 'unavailable') return 'unavailable';
    throw error;
  }
}

async function deliver(
  ctx: TenantContext,
  { row, report, recipients }: { row: ScheduleRow; report: Report; recipients: readonly Recipient[] },
): Promise<void> {
  const { name, query, from, to } = report;
  if (row.delivery === 'webhook') {
    const URL = `${ctx.config.baseUrl}${reportPath(report)}`;
    const data = {
      ScheduleID: row.schedule_id,
      Name: row.name,
      Report: name,
      From: from,
      To: to,
      URL,
    };
    return appendEvents(ctx, [{ type: 'report.ready', data }]);
  }
  const page = `${ctx.config.baseUrl}/console/reports`;
  const expiresAt = new Date(ctx.now().getTime() + mailMilliseconds);
  await queueMails(
    ctx,
    recipients.map((recipient) => ({
      userId: recipient.user_id,
      kind: 'report',
      address: recipient.email,
      content: {
        firstName: recipient.first_name,
        lastName: recipient.last_name,
        loginId: recipient.login_id,
        url: recipient.has_password ? (name === 'completion' ? page : `${page}/${name}`) : null,
        report: { scheduleId: row.schedule_id, name: row.name, report: name, query, from, to },
      },
      expiresAt,
    })),
  );
}

const isTemporary = (problem: ScheduleProblem) => problem === 'unavailable' || problem === 'failed';

/** When the schedule runs next, and whether its time zone is still known. */
function nextOf(
  row: ScheduleRow,
  { now, problem }: { now: Date; problem: ScheduleProblem | null },
): Pick<ScheduleRow, 'next_run_at' | 'attempts' | 'last_problem'> {
  const pause = problem !== null && isTemporary(problem) ? pauses[row.attempts] : undefined;
  if (pause !== undefined)
    return {
      next_run_at: new Date(now.getTime() + pause),
      attempts: row.attempts + 1,
      last_problem: problem,
    };
  try {
    const next_run_at = row.status === 'active' ? nextRun(timesOf(row), now) : null;
    return { next_run_at, attempts: 0, last_problem: problem };
  } catch {
    return { next_run_at: null, attempts: 0, last_problem: 'time_zone' };
  }
}

async function record(
  ctx: TenantContext,
  row: ScheduleRow,
  result: { now: Date; problem: ScheduleProblem | null },
): Promise<void> {
  await updateOwn(ctx, 'report_schedule', { schedule_id: row.schedule_id })
    .set({ ...nextOf(row, result), last_run_at: result.now })
    .execute();
}
