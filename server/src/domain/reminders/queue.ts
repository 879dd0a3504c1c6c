import { run, transaction } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { dayOf, daysBetween, firstInstant } from '../../lib/days.ts';
import { appendEvents } from '../events/append.ts';
import { queueMails } from '../mail/queue.ts';
import { knownTenant } from '../tenants/tenants.ts';
import { timeZoneOf } from '../tenants/time-zone.ts';

/** People per transaction. On the embedded database, other statements wait for it. */
const batch = 50;

const pendingText = `
select held.day, held.user_id, held.by_hand, held.team, held.endings from reminder held
where held.tenant_id = $1 and held.is_pending order by held.day, held.user_id limit ${batch} for update skip locked`;

type Ending = { EnrollID: string; CourseID: string; ExpiresAt: string };
type Pending = { day: string; user_id: string; by_hand: boolean; team: boolean; endings: Ending[] };

/** Locks the users, because their emails will refer to them. */
const peopleText = `
select account.user_id, account.login_id, account.first_name, account.last_name, account.email
from "user" account
where account.tenant_id = $1 and account.user_id = any($2::uuid[]) and account.enabled
order by account.login_id for key share of account`;

type Person = {
  user_id: string;
  login_id: string;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
};

const doneText = `
update reminder held set is_pending = false, mail_id = made.mail_id
from jsonb_to_recordset($2::jsonb) as made (day text, user_id uuid, mail_id uuid)
where held.tenant_id = $1 and held.day = made.day and held.user_id = made.user_id`;

const hour = 3_600_000;
/** Automatic reminders leave at eight in the morning. */
const sendingHour = 8;
const keptDays = 3;

/** Queues the emails of the next people. Returns whether there may be more. */
export function queueNext(ctx: TenantContext): Promise<boolean> {
  return transaction(ctx, async (ctx) => {
    const found = await run<Pending>(ctx, pendingText, [ctx.tenantId]);
    const pending = [...new Map(found.map((row) => [row.user_id, row])).values()];
    if (pending.length === 0) return false;
    const known = await run<Person>(ctx, peopleText, [ctx.tenantId, pending.map(({ user_id }) => user_id)]);
    const people = new Map(known.map((person) => [person.user_id, person]));
    const reminded = pending.flatMap((row) => {
      const person = people.get(row.user_id);
      return person ? [{ row, person }] : [];
    });
    const mailIds = await queueReminders(ctx, reminded);
    const mailOf = new Map(reminded.map(({ row }, n) => [row.user_id, mailIds[n] ?? null]));
    const done = pending.map(({ day, user_id }) => ({ day, user_id, mail_id: mailOf.get(user_id) ?? null }));
    await run(ctx, doneText, [ctx.tenantId, JSON.stringify(done)]);
    await reportEndings(ctx, reminded, mailOf);
    return found.length === batch;
  });
}

type Reminded = { row: Pending; person: Person };

async function queueReminders(ctx: TenantContext, reminded: readonly Reminded[]) {
  const now = ctx.now();
  const zone = await timeZoneOf(ctx);
  const isTest = (await knownTenant.get(ctx, ctx.tenantId))?.isTest ?? false;
  const dueAt = ({ by_hand, day }: Pending) =>
    by_hand || isTest
      ? now
      : new Date(Math.max(now.getTime(), firstInstant(day, zone).getTime() + sendingHour * hour));
  // Do not put the LaunchURL into the email. It needs no password, so anyone who reads the email could open the course.
  // The page asks people to sign in first, and those who have no password yet can choose one there.
  const url = `${ctx.config.baseUrl}/console/`;
  return queueMails(
    ctx,
    reminded.map(({ row, person }) => ({
      userId: person.user_id,
      kind: 'reminder',
      address: person.email,
      content: {
        firstName: person.first_name,
        lastName: person.last_name,
        loginId: person.login_id,
        url,
        reminder: { isByHand: row.by_hand, isForManager: row.team, own: [], team: [], words: null },
      },
      dueAt: dueAt(row),
      expiresAt: new Date(now.getTime() + keptDays * 24 * hour),
    })),
  );
}

/** Clients that write to learners themselves need the event most when there is no email. */
async function reportEndings(
  ctx: TenantContext,
  reminded: readonly Reminded[],
  mailOf: ReadonlyMap<string, string | null>,
): Promise<void> {
  const zone = await timeZoneOf(ctx);
  const today = dayOf(tenantNow(ctx), zone);
  await appendEvents(
    ctx,
    reminded.flatMap(({ row: { user_id, endings } }) =>
      endings.map(({ EnrollID, CourseID, ExpiresAt }) => {
        const end = new Date(ExpiresAt);
        return {
          type: 'enrolment.ending' as const,
          ...{ userId: user_id, enrollId: EnrollID, courseId: CourseID },
          data: {
            Days: Math.max(0, daysBetween(today, dayOf(end, zone))),
            ExpiresAt: end.toISOString(),
            MailID: mailOf.get(user_id) ?? null,
          },
        };
      }),
    ),
  );
}
