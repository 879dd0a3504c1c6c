import { ownRows } from '../../db/own-rows.ts';
import { run } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { isOffered } from '../catalogue/offers.ts';
import { seatsLeft } from '../catalogue/seats.ts';
import { type Attention, maxCounted } from './schemas.ts';

const day = 86_400_000;

/** Maximum number of enrolments that the count reads, including completed ones. */
const maxRead = 4 * maxCounted;

const expiringText = `
select count(*)::integer as visited, count(*) filter (where ending.status in ('enrolled', 'in_progress'))::integer as open
from (
  select enrolment.status from enrolment
  where enrolment.tenant_id = $1 and enrolment.ended_at is null and enrolment.expires_at > $2 and enrolment.expires_at <= $3
  order by enrolment.expires_at limit ${maxRead}
) ending`;

async function countExpiring(ctx: TenantContext): Promise<Attention['Expiring']> {
  const now = tenantNow(ctx);
  const until = new Date(now.getTime() + 7 * day);
  const [row] = await run<{ visited: number; open: number }>(ctx, expiringText, [ctx.tenantId, now, until]);
  const { visited, open } = row ?? { visited: 0, open: 0 };
  return {
    Enrolments: Math.min(open, maxCounted),
    More: open > maxCounted || visited === maxRead,
    Until: until.toISOString(),
  };
}

const seatsText = `
select option.course_id, course.title, option.duration_id, option.name, option.seats, option.seats_taken
from enrol_option option join course on course.course_id = option.course_id
where option.status = 'published' and course.status = 'published' and ${isOffered('course', '$1')}
  and option.seats is not null and (option.seats - option.seats_taken) * 10 <= option.seats
order by option.seats - option.seats_taken, option.course_id, option.duration_id limit 50`;

type ScarceRow = {
  course_id: string;
  title: string;
  duration_id: string;
  name: string;
  seats: number;
  seats_taken: number;
};

async function listScarceSeats(ctx: TenantContext): Promise<Attention['Seats']> {
  const rows = await run<ScarceRow>(ctx, seatsText, [ctx.tenantId]);
  return rows.map((row) => ({
    CourseID: row.course_id,
    Title: row.title,
    DurationID: row.duration_id,
    Name: row.name,
    Seats: row.seats,
    SeatsLeft: seatsLeft(row) ?? 0,
  }));
}

async function listFailing(ctx: TenantContext): Promise<NonNullable<Attention['Webhooks']>> {
  const rows = await ownRows(ctx, 'webhook')
    .select(['webhook_id', 'url', 'status', 'failing_since'])
    .where((where) =>
      where.or([
        where('disabled_reason', '=', 'failing'),
        where.and([where('status', '=', 'enabled'), where('failing_since', 'is not', null)]),
      ]),
    )
    .orderBy('webhook_id')
    .execute();
  return rows.map((row) => ({
    WebhookID: row.webhook_id,
    URL: row.url,
    Status: row.status,
    FailingSince: row.failing_since?.toISOString() ?? null,
  }));
}

const failedText = `
select count(*)::integer as failed from (
  select true from webhook_delivery delivery
  where delivery.tenant_id = $1 and delivery.status = 'failed' and delivery.attempted_at > $2
  order by delivery.attempted_at limit ${maxCounted}
) found`;

async function countFailed(ctx: TenantContext): Promise<number> {
  const since = new Date(ctx.now().getTime() - day);
  const [row] = await run<{ failed: number }>(ctx, failedText, [ctx.tenantId, since]);
  return row?.failed ?? 0;
}

/** Uses one statement for each part. Each statement reads a limited number of rows. */
export async function readAttention(
  ctx: TenantContext,
  input: { withWebhooks: boolean },
): Promise<Attention> {
  const { withWebhooks } = input;
  const [Webhooks, Seats, Expiring, FailedDeliveries] = await Promise.all([
    withWebhooks ? listFailing(ctx) : null,
    listScarceSeats(ctx),
    countExpiring(ctx),
    withWebhooks ? countFailed(ctx) : null,
  ]);
  return { Webhooks, Seats, Expiring, FailedDeliveries };
}
