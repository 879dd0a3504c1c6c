import { parametersAfter, run, runUnprepared, transaction } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { dayOf } from '../../lib/days.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { audit } from '../audit/chain.ts';
import { canMail, findBounced } from '../mail/queue.ts';
import { catchUp } from '../requirements/follow.ts';
import { obligationConditions } from '../requirements/obligations.ts';
import { isOpen } from '../requirements/status.ts';
import { timeZoneOf } from '../tenants/time-zone.ts';
import { hasEnd, hasOwnDueDate, isStudied } from './choose.ts';
import { type LeftOutReason, maxListed, type RemindRequest, type RemindResult } from './schemas.ts';
import { horizonAt, reminderSettings } from './settings.ts';

type Input = RemindRequest & { Plan?: boolean; Confirm?: number };

type Row = {
  user_id: string;
  login_id: string;
  email: string | null;
  enabled: boolean;
  is_reminded: boolean;
  is_open: boolean;
};

/** SQL: whether something is due for the user, or access ends. */
const hasOpen = (now: string, horizon: string) => `(exists (
    select from obligation held where held.tenant_id = $1 and held.user_id = account.user_id and ${isOpen}
  ) or exists (
    select from enrolment held where held.tenant_id = $1 and held.user_id = account.user_id and ${isStudied}
      and (${hasEnd(now, horizon)} or ${hasOwnDueDate})
  ))`;

const completed = ['expiring', 'expired'];

/** SQL on `held`: the cycle that follows it is open. */
const isRenewed = `exists (
  select from obligation next where next.tenant_id = $1 and next.user_id = held.user_id
    and next.requirement_id = held.requirement_id and next.follows
    and next.closed_at is null and next.exempt_at is null and next.met_at is null)`;

/** The people of the request, each with what decides whether they get an email. */
async function findPeople(ctx: TenantContext, input: Input, day: string): Promise<Row[]> {
  const now = tenantNow(ctx);
  const { zone, tenant } = await reminderSettings(ctx);
  const { LoginIDs, CourseID, GroupName, ManagerLoginID, RequirementID, Status, DueBefore } = input;
  const { Attribute, Present } = input;
  const parameters = parametersAfter(ctx.tenantId, day);
  const { add } = parameters;
  const where: string[] = [];
  if (LoginIDs) where.push(`account.login_id = any(${add(LoginIDs)}::text[])`);
  if (CourseID !== undefined)
    where.push(`account.user_id in (select held.user_id from enrolment held
      where held.tenant_id = $1 and held.course_id = ${add(CourseID)} and ${isStudied})`);
  // Those who are named are listed with the reason, even if nothing is due.
  if (ManagerLoginID !== undefined && LoginIDs)
    where.push(`account.manager_login_id = ${add(ManagerLoginID)}`);
  const filter = {
    ...(RequirementID !== undefined && { RequirementID }),
    ...(Status !== undefined && { Status }),
    ...(GroupName !== undefined && { GroupName }),
    ...(ManagerLoginID !== undefined && !LoginIDs && { ManagerLoginID }),
    ...(DueBefore !== undefined && { DueBefore }),
    ...(Attribute !== undefined && { Attribute }),
    ...(Present !== undefined && { Present }),
  };
  let isConcerned = 'true';
  if (Object.keys(filter).length > 0) {
    const conditions = (await obligationConditions(ctx, filter)).map((condition) => condition(parameters));
    const among = (...more: string[]) => `account.user_id in (select held.user_id from obligation held
      where ${['held.tenant_id = $1', ...more, ...conditions].join(' and ')})`;
    const asksForCompleted = Status?.split(',').some((one) => completed.includes(one)) ?? false;
    where.push(asksForCompleted ? among() : among(isOpen));
    // Those who cannot renew it yet are listed with the reason.
    if (asksForCompleted) isConcerned = among(`(${isOpen} or ${isRenewed})`);
  }
  const text = `
    select account.user_id, account.login_id, account.email, account.enabled,
      ${hasOpen(`${add(now)}::timestamptz`, `${add(horizonAt(now, zone, tenant.DaysBefore))}::timestamptz`)} and ${isConcerned} as is_open,
      exists (select from reminder known where known.tenant_id = $1 and known.day = $2
        and known.user_id = account.user_id and (known.is_pending or known.mail_id is not null)) as is_reminded
    from "user" account where ${['account.tenant_id = $1', ...where].join(' and ')} order by account.login_id`;
  return runUnprepared<Row>(ctx, text, parameters.values);
}

/** A reminder that could not be sent today, because the address was missing, is tried again. */
const insertText = `
insert into reminder as known (tenant_id, day, user_id, by_hand)
select $1, $2, chosen.user_id, true from unnest($3::uuid[]) chosen (user_id) order by chosen.user_id
on conflict (tenant_id, day, user_id) do update set is_pending = true, by_hand = true
where not known.is_pending and known.mail_id is null
returning known.user_id`;

const maxUnconfirmed = 100;

function checkConfirmed(count: number, { Confirm }: Input): void {
  if (count <= maxUnconfirmed || count === Confirm) return;
  throw new Problem(
    'confirmation_required',
    `This reminds ${count} people. Look at them with ?Plan=true, then send the request with ?Confirm=${count}.`,
    { param: 'Confirm', Count: count },
  );
}

/**
 * Reminds people by hand: each gets one email with everything that is open for them. People who have already
 * been reminded today are left out.
 */
export async function remind(ctx: TenantContext, input: Input): Promise<RemindResult> {
  const { Plan, Confirm: _, ...whom } = input;
  if (Object.keys(whom).length === 0)
    throw invalid('LoginIDs', 'Send LoginIDs, or a filter such as RequirementID.');
  await catchUp(ctx);
  const day = dayOf(tenantNow(ctx), await timeZoneOf(ctx));
  const found = await findPeople(ctx, input, day);
  const bounced = await findBounced(
    ctx,
    found.flatMap(({ email }) => (canMail(ctx, email) ? [email] : [])),
  );
  const reasonOf = (row: Row): LeftOutReason | null => {
    if (!row.enabled) return 'disabled';
    if (!row.is_open) return 'nothing_due';
    if (row.is_reminded) return 'reminded_today';
    if (ctx.config.mail === null) return 'no_mail_server';
    if (!canMail(ctx, row.email)) return 'no_email';
    return bounced.has(row.email) ? 'email_bounced' : null;
  };
  const names = new Set(found.map(({ login_id }) => login_id));
  const people = new Map<string, LeftOutReason | null>([
    ...(input.LoginIDs ?? []).flatMap((id) => (names.has(id) ? [] : [[id, 'unknown_user'] as const])),
    ...found.map((row) => [row.login_id, reasonOf(row)] as const),
  ]);
  const wanted = found.filter(({ login_id }) => people.get(login_id) === null);
  checkConfirmed(wanted.length, input);
  if (!Plan && wanted.length > 0) {
    const sent = await insert(ctx, day, wanted);
    // Another request may have been first.
    for (const { user_id, login_id } of wanted)
      if (!sent.has(user_id)) people.set(login_id, 'reminded_today');
  }
  const all = [...people].map(([LoginID, Reason]) => ({ LoginID, Reason }));
  const leftOut = all.filter(({ Reason }) => Reason !== null);
  const reminded = all.filter(({ Reason }) => Reason === null);
  return {
    Reminded: reminded.length,
    LeftOut: leftOut.length,
    People: [...leftOut, ...reminded].slice(0, maxListed),
  };
}

const insert = (ctx: TenantContext, day: string, wanted: readonly Row[]) =>
  transaction(ctx, async (ctx) => {
    const values = [ctx.tenantId, day, wanted.map(({ user_id }) => user_id)];
    const rows = await run<{ user_id: string }>(ctx, insertText, values);
    if (rows.length > 0) await audit(ctx, 'reminders.requested', ctx.tenantId, { People: rows.length });
    return new Set(rows.map(({ user_id }) => user_id));
  });
