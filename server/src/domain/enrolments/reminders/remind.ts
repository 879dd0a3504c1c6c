import { forTenant } from '../../../db/owners.ts';
import { run, transaction } from '../../../db/transaction.ts';
import { secondsAhead, tenantNow, tenantNowOfSql, tenantNowSql } from '../../../infra/context/clocks.ts';
import type { Context, TenantContext } from '../../../infra/context/context.ts';
import { isServed, servedTenants } from '../../../infra/operations/node-tenants.ts';
import { appendEvents } from '../../events/append.ts';
import { queueMails } from '../../mail/queue.ts';
import { hasUsablePassword } from '../../users/passwords.ts';

/** SQL: `days` as an interval, in hours because a day can have 23 or 25 hours when the clocks change. */
const lengthOf = (days: string) => `make_interval(hours => 24 * ${days})`;

const forget = `/* across tenants: reminders of all tenants */
delete from reminder_progress own where not exists (
  select from tenant client where client.tenant_id = own.tenant_id and own.days = any(client.reminder_days)
) and ${isServed('own.tenant_id', '$1')}`;

/**
 * The search begins with enrolments that end in this many days. A new setting therefore sends no reminders
 * that were due before it was made.
 */
const begin = (tenants: string) => `/* across tenants: reminders of all tenants */
insert into reminder_progress (tenant_id, days, ends_at, enroll_id)
select log.tenant_id, wanted.days, ${tenantNowSql('$1', 'client')} + ${lengthOf('wanted.days')}, '00000000-0000-0000-0000-000000000000'
from event_log log
join tenant client on client.tenant_id = log.tenant_id and client.status = 'active'
cross join unnest(client.reminder_days) wanted (days)
where ${tenants} and not exists (
  select from reminder_progress own where own.tenant_id = log.tenant_id and own.days = wanted.days
)
on conflict do nothing`;

/**
 * Applies the tenants' settings. The query starts from the event logs, because every tenant that has
 * enrolments has one.
 */
async function syncSettings(ctx: Context): Promise<void> {
  const served = await servedTenants(ctx);
  await run(ctx, { name: 'forget_reminders', text: forget, values: [served] });
  const text = begin(isServed('log.tenant_id', '$2'));
  await run(ctx, { name: 'begin_reminders', text, values: [ctx.now(), served] });
}

/**
 * Begins the search for one tenant. Call this before moving the tenant's clock, because a search finds no
 * enrolment that ends before the search began.
 */
export async function beginReminders(ctx: TenantContext): Promise<void> {
  const values = [ctx.now(), ctx.tenantId];
  await run(ctx, { name: 'begin_reminders_of_tenant', text: begin('log.tenant_id = $2'), values });
}

type Due = { tenant_id: string; days: number };

type Limits = { tenant: string; now: string; max: string };

/**
 * SQL: selects a tenant's next enrolments to search. They end after the position in `own`, a row of
 * `reminder_progress`, and within its number of days.
 */
const nextEnrolments = ({ tenant, now, max }: Limits) => `select enrolment.* from enrolment
  where enrolment.tenant_id = ${tenant} and enrolment.ended_at is null
    and (enrolment.expires_at, enrolment.enroll_id) > (own.ends_at, own.enroll_id)
    and enrolment.expires_at <= ${now}::timestamptz + ${lengthOf('own.days')}
  order by enrolment.expires_at, enrolment.enroll_id limit ${max}`;

const due = `/* across tenants: reminders are due in all tenants */
select own.tenant_id, own.days from reminder_progress own
join tenant client on client.tenant_id = own.tenant_id and client.status = 'active'
cross join lateral (${nextEnrolments({ tenant: 'own.tenant_id', now: tenantNowOfSql('$1', '$3', 'own.tenant_id'), max: '1' })}) next
where ${isServed('own.tenant_id', '$4')} limit $2`;

/**
 * Returns up to `max` pairs of tenant and days that have enrolments to search. Skips suspended
 * tenants.
 */
async function dueReminders(ctx: Context, max: number): Promise<Due[]> {
  const values = [ctx.now(), max, secondsAhead(ctx), await servedTenants(ctx)];
  return run<Due>(ctx, { name: 'due_reminders', text: due, values });
}

/** The days before the end for which a search of one tenant has begun. */
async function searchedDays(ctx: TenantContext): Promise<number[]> {
  const rows = await ctx.db
    .selectFrom('reminder_progress')
    .select('days')
    .where('tenant_id', '=', ctx.tenantId)
    .orderBy('days')
    .execute();
  return rows.map(({ days }) => days);
}

type Passed = {
  enroll_id: string;
  user_id: string | null;
  course_id: string;
  expires_at: Date;
  is_reminded: boolean;
};

/**
 * Skips learners who completed the course, had access for no longer than the reminder's days, or are due for
 * a later reminder now. The extra minute is a tolerance: a slow statement or a node with a slow clock may
 * commit an enrolment only after the search has passed its end.
 */
const isReminded = `next.status in ('enrolled', 'in_progress') and next.expires_at > $3
  and greatest(next.enrolled_at, next.end_set_at, case when next.starts_on = 'launch' then next.started_at end)
    + ${lengthOf('$2::integer')} + interval '1 minute' < next.expires_at
  and not exists (
    select from tenant client cross join unnest(client.reminder_days) later (days)
    where client.tenant_id = $1 and later.days < $2 and next.expires_at <= $3::timestamptz + ${lengthOf('later.days')}
  )`;

/** Moves the search past up to $4 enrolments of the tenant $1, unless another node is doing so. */
const pass = `
with own as (
  select held.* from reminder_progress held where held.tenant_id = $1 and held.days = $2 for update skip locked
), next as (
  select held.* from own cross join lateral (${nextEnrolments({ tenant: '$1', now: '$3', max: '$4' })}) held
), moved as (
  update reminder_progress progress set ends_at = last.expires_at, enroll_id = last.enroll_id
  from (select next.expires_at, next.enroll_id from next order by next.expires_at desc, next.enroll_id desc limit 1) last
  where progress.tenant_id = $1 and progress.days = $2
)
select next.enroll_id, next.user_id, next.course_id, next.expires_at, ${isReminded} as is_reminded from next
order by next.expires_at, next.enroll_id`;

type Learner = {
  user_id: string;
  login_id: string;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
  has_password: boolean;
};

/** Locks the users, because their emails will refer to them. */
const enabledLearners = `
select account.user_id, account.login_id, account.first_name, account.last_name, account.email,
  ${hasUsablePassword} as has_password
from "user" account join tenant client on client.tenant_id = account.tenant_id
where account.tenant_id = $1 and account.user_id = any($2::uuid[]) and account.enabled
order by account.user_id for key share of account`;

/** Sends reminders for enrolments that end within `days`. Returns how many were considered. */
function remindNext(ctx: TenantContext, days: number, max: number): Promise<number> {
  return transaction(ctx, async (ctx) => {
    const values = [ctx.tenantId, days, tenantNow(ctx), max];
    const passed = await run<Passed>(ctx, { name: 'pass_reminders', text: pass, values });
    const wanted = passed.filter(({ is_reminded }) => is_reminded);
    if (wanted.length > 0) await remind(ctx, days, wanted);
    return passed.length;
  });
}

async function remind(ctx: TenantContext, days: number, wanted: readonly Passed[]): Promise<void> {
  const users = [...new Set(wanted.flatMap(({ user_id }) => user_id ?? []))];
  const found = await run<Learner>(ctx, {
    name: 'reminded_learners',
    text: enabledLearners,
    values: [ctx.tenantId, users],
  });
  const learners = new Map(found.map((learner) => [learner.user_id, learner]));
  const titles = await readTitles(ctx, wanted);
  const reminders = wanted.flatMap((enrolment) => {
    const learner = learners.get(enrolment.user_id ?? '');
    return learner ? [{ enrolment, learner }] : [];
  });
  // Do not put the LaunchURL into the email. It needs no password, so anyone who reads the email could open
  // the course.
  const coursesUrl = `${ctx.config.baseUrl}/console/`;
  const mailIds = await queueMails(
    ctx,
    reminders.map(({ enrolment: { enroll_id, course_id, expires_at }, learner }) => ({
      userId: learner.user_id,
      kind: 'access_ending',
      address: learner.email,
      content: {
        firstName: learner.first_name,
        lastName: learner.last_name,
        loginId: learner.login_id,
        url: learner.has_password ? coursesUrl : null,
        enrolment: { enrollId: enroll_id, courseTitle: titles.get(course_id) ?? course_id },
      },
      expiresAt: expires_at,
    })),
  );
  await appendEvents(
    ctx,
    reminders.map(({ enrolment, learner }, n) => ({
      type: 'enrolment.ending',
      userId: learner.user_id,
      enrollId: enrolment.enroll_id,
      courseId: enrolment.course_id,
      data: { Days: days, ExpiresAt: enrolment.expires_at.toISOString(), MailID: mailIds[n] ?? null },
    })),
  );
}

async function readTitles(ctx: TenantContext, wanted: readonly Passed[]): Promise<Map<string, string>> {
  const ids = [...new Set(wanted.map(({ course_id }) => course_id))];
  const rows = await ctx.db
    .selectFrom('course')
    .select(['course_id', 'title'])
    .where('course_id', 'in', ids)
    .execute();
  return new Map(rows.map(({ course_id, title }) => [course_id, title]));
}

/**
 * Enrolments per transaction. A transaction takes about 10 ms, and other statements on the embedded
 * database wait for it.
 */
const batch = 50;
/** Maximum number of a tenant's batches before other tenants get their turn. */
const batchesPerTurn = 20;
const tenantsPerRound = 50;

/**
 * Job: reminds learners whose access ends soon, once for each of their tenant's `ReminderDays`,
 * even if several nodes run it repeatedly. Returns how many enrolments were considered. If a
 * tenant's reminders fail, the other tenants still get theirs, and the job fails at the end.
 */
export async function remindOfEnds(ctx: Context): Promise<number> {
  await syncSettings(ctx);
  let sum = 0;
  const failed = new Map<string, unknown>();
  while (!ctx.load.draining) {
    const due = await dueReminders(ctx, tenantsPerRound);
    let passed = 0;
    for (const next of due.filter(({ tenant_id }) => !failed.has(tenant_id)))
      passed += await takeTurn(ctx, next).catch((error: unknown) => {
        failed.set(next.tenant_id, error);
        return 0;
      });
    // If no enrolments were passed, other nodes have locked the due rows.
    if (passed === 0) break;
    sum += passed;
  }
  if (failed.size > 0)
    throw new AggregateError(failed.values(), `The reminders of ${failed.size} tenants could not be sent.`);
  return sum;
}

async function takeTurn(ctx: Context, { tenant_id, days }: Due): Promise<number> {
  const own = forTenant(ctx, tenant_id);
  let sum = 0;
  for (let n = 0; n < batchesPerTurn && !ctx.load.draining; n++) {
    const passed = await remindNext(own, days, batch);
    sum += passed;
    if (passed < batch) break;
  }
  return sum;
}

/** Sends the next reminders of one tenant, up to one batch for each of its `ReminderDays`. The job sends the others. */
export async function remindBatch(ctx: TenantContext): Promise<void> {
  for (const days of await searchedDays(ctx)) await remindNext(ctx, days, batch);
}
