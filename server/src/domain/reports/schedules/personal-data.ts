import { countTenantRows } from '../../../db/page.ts';
import { run } from '../../../db/transaction.ts';
import { batchOf, batchRows, type PersonalData } from '../../../infra/context/personal-data.ts';

const erase = `
delete from report_recipient where tenant_id = $1 and user_id = $2::uuid and schedule_id = any(array(
  select held.schedule_id from report_recipient held where held.tenant_id = $1 and held.user_id = $2::uuid
  order by held.schedule_id limit $3
)) returning 1`;

const read = `
select schedule.schedule_id, schedule.name from report_recipient recipient
join report_schedule schedule on schedule.tenant_id = $1 and schedule.schedule_id = recipient.schedule_id
where recipient.tenant_id = $1 and recipient.user_id = $2::uuid
order by schedule.schedule_id`;

/** One statement reads all rows of a person, because a tenant has few schedules. */
export const recipientData: PersonalData = {
  name: 'ReportRecipients',
  tables: ['report_recipient'],
  erased: 'That the person gets scheduled reports by email.',
  retained: null,
  eraseForUser: async (ctx, { userId }) => {
    return batchOf((await run(ctx, erase, [ctx.tenantId, userId, batchRows])).length);
  },
  count: (ctx, { userId, max }) =>
    countTenantRows(
      ctx,
      'select 1 from report_recipient where tenant_id = $1 and user_id = $2::uuid limit $3',
      [userId, max],
    ),
  read: async function* (ctx, { userId }) {
    const rows = await run<{ schedule_id: string; name: string }>(ctx, read, [ctx.tenantId, userId]);
    for (const row of rows) yield { ScheduleID: row.schedule_id, Name: row.name };
  },
};
