import { run, transaction } from '../../db/transaction.ts';
import {
  type Context,
  secondsAhead,
  type TenantContext,
  tenantNow,
  tenantNowOfSql,
} from '../../infra/context/context.ts';
import { isServed, serveInTurns } from '../../infra/operations/jobs.ts';
import { appendEvents } from '../events/append.ts';
import { withdrawSql } from './personal-data.ts';
import { showNumber } from './record/number.ts';
import { daysUntil, nextNotice } from './validity.ts';

const dueTenants = `/* across tenants: certificates of all tenants end */
select own.tenant_id from certificate_log own
join tenant client on client.tenant_id = own.tenant_id and client.status = 'active'
cross join lateral (
  select held.certificate_id from certificate held where held.tenant_id = own.tenant_id
    and held.next_notice_at <= ${tenantNowOfSql('$3', '$4', 'own.tenant_id')} limit 1
) next
where own.tenant_id <> all($1::text[]) and ${isServed('own.tenant_id', '$2')}`;

const batch = 100;

const dueText = `
select held.certificate_id, held.number, held.user_id, held.enroll_id, held.course_id, held.valid_until,
  client.reminders -> 'DaysBefore' as days_before
from certificate held join tenant client on client.tenant_id = $1
where held.tenant_id = $1 and held.next_notice_at <= $2 and held.user_id is not null
order by held.next_notice_at, held.certificate_id limit ${batch} for update of held skip locked`;

type Due = {
  certificate_id: string;
  number: string;
  user_id: string;
  enroll_id: string;
  course_id: string;
  valid_until: Date;
  days_before: number[];
};

const storeText = `
update certificate held set next_notice_at = made.next_notice_at
from jsonb_to_recordset($2::jsonb) as made (certificate_id uuid, next_notice_at timestamptz)
where held.tenant_id = $1 and held.certificate_id = made.certificate_id`;

const withdrawText = `
update certificate held set ${withdrawSql}
where held.tenant_id = $1 and held.certificate_id = any(array(
  select own.certificate_id from certificate own
  where own.tenant_id = $1 and own.next_notice_at <= $2 and own.user_id is null limit ${batch}))
returning 1`;

/** Reports certificates of a tenant that end soon or have ended, and withdraws those of erased people that were kept until now. */
export function noticeBatch(ctx: TenantContext): Promise<number> {
  return transaction(ctx, async (ctx) => {
    const now = tenantNow(ctx);
    const due = await run<Due>(ctx, dueText, [ctx.tenantId, now]);
    const withdrawn = await run(ctx, withdrawText, [ctx.tenantId, now, now]);
    if (due.length === 0) return withdrawn.length;
    const made = due.map(({ certificate_id, valid_until, days_before }) => ({
      certificate_id,
      next_notice_at: valid_until > now ? nextNotice(valid_until, days_before, now) : null,
    }));
    await run(ctx, storeText, [ctx.tenantId, JSON.stringify(made)]);
    await appendEvents(
      ctx,
      due.map(({ number, user_id, enroll_id, course_id, valid_until }) => {
        const ended = valid_until <= now;
        return {
          type: ended ? 'certificate.expired' : 'certificate.expiring',
          userId: user_id,
          enrollId: enroll_id,
          courseId: course_id,
          data: {
            Number: showNumber(number),
            ...(!ended && { Days: daysUntil(valid_until, now) }),
            ValidUntil: valid_until.toISOString(),
          },
        };
      }),
    );
    return due.length + withdrawn.length;
  });
}

/** Job: reports all certificates that end soon or have ended. */
export const noticeEnds = (ctx: Context): Promise<void> =>
  serveInTurns(ctx, {
    name: 'ending_certificates',
    text: dueTenants,
    values: () => [ctx.now(), secondsAhead(ctx)],
    work: noticeBatch,
  });
