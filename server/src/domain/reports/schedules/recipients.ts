import { deleteOwn } from '../../../db/own-rows.ts';
import { run } from '../../../db/transaction.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { invalid } from '../../../lib/errors.ts';
import { canMail, findBounced } from '../../mail/queue.ts';
import { hasUsablePassword } from '../../users/passwords.ts';
import type { ScheduleRow } from './record.ts';

/**
 * SQL: whether the user `account` may get this report. Only administrators of the tenant may, so no tenant can use
 * reports to email anyone else.
 */
export const mayGetReport = (report: string) => `account.enabled and account.is_admin
  and (account.admin_scopes is null or case ${report} when 'compliance' then 'requirements:read'
    else 'enrolments:read' end = any(account.admin_scopes))`;

export type Recipient = {
  user_id: string;
  login_id: string;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
  has_password: boolean;
};

/** Locks the users, because recipients and emails will refer to them. */
const administrators = (users: string, report: string) => `
select account.user_id, account.login_id, account.first_name, account.last_name, account.email,
  ${hasUsablePassword} as has_password
from "user" account join tenant client on client.tenant_id = account.tenant_id
where account.tenant_id = $1 and ${users} and ${mayGetReport(report)}
order by account.login_id for key share of account`;

const chosenText = administrators('account.login_id = any($2::text[])', '$3::text');
const ofScheduleText = administrators(
  `account.user_id = any(array(
  select held.user_id from report_recipient held where held.tenant_id = $1 and held.schedule_id = $2::uuid
))`,
  '$3::text',
);

/** Finds the users with these LoginIDs, and rejects those who cannot get reports. */
export async function chooseRecipients(
  ctx: TenantContext,
  loginIds: readonly string[],
  report: ScheduleRow['report'],
): Promise<Recipient[]> {
  if (loginIds.length === 0) return [];
  const found = await run<Recipient>(ctx, chosenText, [ctx.tenantId, loginIds, report]);
  const known = new Set(found.filter(({ email }) => canMail(ctx, email)).map(({ login_id }) => login_id));
  const unknown = loginIds.find((loginId) => !known.has(loginId));
  if (unknown === undefined) return found;
  throw invalid(
    'Recipients',
    `${unknown} cannot get reports by email. Recipients must be enabled administrators who have an Email and may read ${report === 'compliance' ? 'requirements' : 'enrolments'}.`,
  );
}

/** The recipients of a schedule who can still get reports. */
export async function currentRecipients(
  ctx: TenantContext,
  { schedule_id, report }: Pick<ScheduleRow, 'schedule_id' | 'report'>,
): Promise<Recipient[]> {
  const found = await run<Recipient>(ctx, ofScheduleText, [ctx.tenantId, schedule_id, report]);
  const addresses = found.flatMap(({ email }) => (canMail(ctx, email) ? [email] : []));
  const bounced = await findBounced(ctx, addresses);
  return found.filter(({ email }) => canMail(ctx, email) && !bounced.has(email));
}

export async function storeRecipients(
  ctx: TenantContext,
  { scheduleId, recipients }: { scheduleId: string; recipients: readonly Recipient[] },
): Promise<void> {
  await deleteOwn(ctx, 'report_recipient', { schedule_id: scheduleId }).execute();
  if (recipients.length === 0) return;
  const rows = recipients.map(({ user_id }) => ({
    ...{ tenant_id: ctx.tenantId, schedule_id: scheduleId },
    user_id,
  }));
  await ctx.db.insertInto('report_recipient').values(rows).execute();
}
