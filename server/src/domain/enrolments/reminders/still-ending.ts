import { run } from '../../../db/transaction.ts';
import type { MailCheck } from '../../mail/kinds.ts';

const text = `select from enrolment
where tenant_id = $1 and enroll_id = $2 and ended_at is null and status in ('enrolled', 'in_progress')
  and date_trunc('milliseconds', expires_at) = $3`;

/** Whether the enrolment is still open and ends at the time given in the email. */
export const isStillEnding: MailCheck = async (ctx, { enrolment }, endsAt) => {
  if (!enrolment) return false;
  const values = [ctx.tenantId, enrolment.enrollId, endsAt];
  return (await run(ctx, { name: 'still_ending', text, values })).length > 0;
};
