import { run } from '../../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../../infra/context/context.ts';
import type { MailAttach, MailCheck } from '../../mail/kinds.ts';
import { mayGetReport } from './recipients.ts';
import { asRead, writeReport } from './report.ts';

const text = `
select from report_recipient recipient
join report_schedule schedule on schedule.tenant_id = $1 and schedule.schedule_id = recipient.schedule_id
join "user" account on account.tenant_id = $1 and account.user_id = recipient.user_id
where recipient.tenant_id = $1 and recipient.schedule_id = $2::uuid and schedule.delivery = 'email'
  and account.login_id = $3 and ${mayGetReport('schedule.report')}`;

/** Whether the report still exists, and the recipient may still get it. */
export const isStillRecipient: MailCheck = async (ctx, content) => {
  const { loginId, report } = content;
  if (!report) return null;
  const isRecipient = (await run(ctx, text, [ctx.tenantId, report.scheduleId, loginId])).length > 0;
  return isRecipient ? content : null;
};

/** The file is written when the email is sent, so that reports are not stored. */
export const attachReport: MailAttach = async (ctx: TenantContext, content) => {
  if (!content.report) return null;
  const report = asRead(content.report, tenantNow(ctx));
  const written = { ...content, report };
  const file = await writeReport(ctx, report);
  if (file === null) return { content: written, attachment: null };
  const days = report.from === null ? report.to : `${report.from}-to-${report.to}`;
  const name = `${report.report}-${days}.csv`;
  return { content: written, attachment: { name, type: 'text/csv; charset=utf-8', content: file } };
};
