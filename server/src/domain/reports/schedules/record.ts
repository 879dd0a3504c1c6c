import type { Selectable } from 'kysely';
import type { ReportScheduleTable } from '../../../db/engine/generated.ts';
import { ownRows } from '../../../db/own-rows.ts';
import { run } from '../../../db/transaction.ts';
import { recordOf } from '../../../http/records.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { Problem } from '../../../lib/errors.ts';
import { isId } from '../../../lib/ids.ts';
import { ReportSchedule } from './schemas.ts';
import { type Times, weekdays } from './times.ts';

export type ScheduleRow = Selectable<ReportScheduleTable>;

export function scheduleNotFound(): Problem {
  return new Problem(
    'schedule_not_found',
    'The scheduled report does not exist. Create it with POST /report/schedule.',
  );
}

const recipientsText = `
select recipient.schedule_id, account.login_id from report_recipient recipient
join "user" account on account.tenant_id = $1 and account.user_id = recipient.user_id
where recipient.tenant_id = $1 and recipient.schedule_id = any($2::uuid[])
order by recipient.schedule_id, account.login_id`;

export async function toSchedules(
  ctx: TenantContext,
  rows: readonly ScheduleRow[],
): Promise<ReportSchedule[]> {
  const ids = rows.map(({ schedule_id }) => schedule_id);
  const found = await run<{ schedule_id: string; login_id: string }>(ctx, recipientsText, [
    ctx.tenantId,
    ids,
  ]);
  return rows.map((row) => {
    const own = found.filter(({ schedule_id }) => schedule_id === row.schedule_id);
    return toSchedule(
      row,
      own.map(({ login_id }) => login_id),
    );
  });
}

function toSchedule(row: ScheduleRow, recipients: string[]): ReportSchedule {
  return recordOf(ReportSchedule, row, {
    Weekday: (row.weekday && weekdays[row.weekday - 1]) || null,
    Recipients: recipients,
  });
}

export const timesOf = (row: Omit<Times, 'monthDay' | 'timeZone'> & TimeColumns): Times => ({
  every: row.every,
  weekday: row.weekday,
  monthDay: row.month_day,
  time: row.time,
  timeZone: row.time_zone,
});
type TimeColumns = Pick<ScheduleRow, 'month_day' | 'time_zone'>;

/** With `lock`, the schedule does not change until the transaction ends. */
export async function readScheduleRow(
  ctx: TenantContext,
  input: { scheduleId: string; lock?: boolean },
): Promise<ScheduleRow> {
  if (!isId(input.scheduleId)) throw scheduleNotFound();
  const row = await ownRows(ctx, 'report_schedule', { schedule_id: input.scheduleId })
    .selectAll()
    .$if(input.lock === true, (query) => query.forUpdate())
    .executeTakeFirst();
  if (!row) throw scheduleNotFound();
  return row;
}

export async function toOneSchedule(ctx: TenantContext, row: ScheduleRow): Promise<ReportSchedule> {
  const [schedule] = await toSchedules(ctx, [row]);
  if (!schedule) throw scheduleNotFound();
  return schedule;
}
