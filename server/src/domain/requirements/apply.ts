import { run } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { asService } from '../../infra/context/scopes.ts';
import { addDays, dayOf, firstInstant } from '../../lib/days.ts';
import { newId } from '../../lib/ids.ts';
import { type EnrolLast, enrolLast } from '../enrolments/enrol.ts';
import { appendLastEvents, type NewEvent } from '../events/append.ts';
import type { EventType } from '../events/types.ts';
import { timeZoneOf } from '../tenants/time-zone.ts';
import { recount } from './counts.ts';
import { keepEarlier } from './earlier.ts';
import { evaluate, hasMoved, type ObligationRow } from './evaluate.ts';
import { type Facts, type Member, readFacts } from './facts.ts';
import { obligationStatusAt } from './status.ts';

/** The obligations of one user and requirement, before and after an evaluation. */
export type Evaluated = { member: Member; before: readonly ObligationRow[]; after: ObligationRow[] };

type Found = { facts: Facts; evaluated: Evaluated[]; zone: string; now: Date };

/** Users, and the requirements to evaluate for them; null: all. */
export type Part = { users: readonly string[]; requirements: readonly string[] | null };

/** Evaluates users without storing anything. */
export async function evaluateUsers(
  ctx: TenantContext,
  users: readonly string[],
  requirements: readonly string[] | null,
): Promise<Found> {
  const facts = await readFacts(ctx, users, requirements);
  const zone = await timeZoneOf(ctx);
  const now = tenantNow(ctx);
  const fresh = new Map<string, ObligationRow[]>();
  const evaluated = facts.members.flatMap((member) => {
    const known = facts.rules.get(member.requirement_id);
    const before = facts.rowsOf(member);
    if (!known || (!member.is_member && before.every(({ closed_at }) => closed_at !== null))) return [];
    const { requirement_id, user_id } = member;
    const identify = () => ({ obligation_id: newId(now), requirement_id, user_id });
    const completions = facts.completionsOf(member);
    // The same dates for everybody without a history. Computing them costs more than the rest of opening an obligation.
    const isFresh = before.length === 0 && completions.length === 0;
    const same = isFresh ? fresh.get(requirement_id) : undefined;
    if (same) return [{ member, before, after: same.map((row) => ({ ...row, ...identify() })) }];
    const input = { rule: known.rule, zone, now, isMember: member.is_member, rows: before };
    const after = evaluate({ ...input, completions, identify });
    if (isFresh)
      fresh.set(
        requirement_id,
        after.map((row) => ({ ...row })),
      );
    return [{ member, before, after }];
  });
  return { facts, evaluated, zone, now };
}

const columns = `obligation_id uuid, requirement_id text, user_id uuid, cycle integer, follows boolean, assigned_on text,
  counts_from timestamptz, opened_at timestamptz, due_at timestamptz, due_soon_at timestamptz, met_at timestamptz,
  met_by uuid, external boolean, term_start text, term integer, valid_until timestamptz, expiring_at timestamptz,
  exempt_at timestamptz, exempt_until timestamptz, exempt_reason text, left_at timestamptz, closed_at timestamptz, closed_reason text,
  enroll_id uuid, enrol_problem text, announced text, next_change_at timestamptz, group_names text[],
  manager_login_id text, attributes jsonb`;
const names = columns.split(/,\s+/).map((column) => column.split(' ')[0] ?? '');
const saveText = `
insert into obligation as held (tenant_id, ${names.join(', ')}, changed_at)
select $1, ${names.map((name) => `made.${name}`).join(', ')}, $3::timestamptz
from jsonb_to_recordset($2::jsonb) as made (${columns})
on conflict (tenant_id, obligation_id) do update set
  ${names.map((name) => `${name} = excluded.${name}`).join(', ')}, changed_at = excluded.changed_at`;

const touchText = `
update obligation held set next_change_at = made.next_change_at, announced = made.announced, enroll_id = made.enroll_id,
  enrol_problem = made.enrol_problem
from jsonb_to_recordset($2::jsonb) as made (obligation_id uuid, next_change_at timestamptz, announced text, enroll_id uuid,
  enrol_problem text)
where held.tenant_id = $1 and held.obligation_id = made.obligation_id`;

/**
 * Evaluates these users, enrols them, and stores what has changed with its events. The last step of the caller's
 * transaction: what it locks at the end keeps others of the tenant waiting.
 */
export async function applyToUsers(ctx: TenantContext, parts: readonly Part[]): Promise<void> {
  const found: Found[] = [];
  for (const { users, requirements } of parts)
    if (users.length > 0) found.push(await evaluateUsers(ctx, users, requirements));
  const wanted = enrolmentsToMake(found);
  const events: (() => NewEvent)[] = [];
  const moved: ObligationRow[] = [];
  const touched: ObligationRow[] = [];
  const [changed, added]: [string[], string[]] = [[], []];
  for (const { facts, evaluated, now } of found)
    for (const { member, before, after } of evaluated)
      for (const row of after) {
        const old = before.find(({ obligation_id }) => obligation_id === row.obligation_id);
        events.push(...eventsOf(row, old, now, facts));
        if (old?.closed_at && row.closed_at) continue;
        const { group_names, manager_login_id, attributes } = member;
        Object.assign(row, { group_names, manager_login_id, attributes });
        if (hasMoved(old, row) || placeOf(old) !== placeOf(row)) moved.push(row);
        else if (isTouched(old, row)) touched.push(row);
        else continue;
        (old === undefined ? added : changed).push(row.obligation_id);
      }
  await recount(ctx, { changed, added }, async () => {
    const known = moved.map(({ obligation_id }) => obligation_id).filter((id) => changed.includes(id));
    await keepEarlier(ctx, known);
    if (moved.length > 0) await run(ctx, saveText, [ctx.tenantId, JSON.stringify(moved), tenantNow(ctx)]);
    await touch(ctx, touched);
    await touch(ctx, await enrolWanted(asService(ctx), wanted, found[0]?.zone ?? 'UTC'));
  });
  await appendLastEvents(
    ctx,
    events.map((make) => make()),
  );
}

async function touch(ctx: TenantContext, rows: readonly ObligationRow[]): Promise<void> {
  if (rows.length === 0) return;
  await run(ctx, touchText, [ctx.tenantId, JSON.stringify(rows)]);
}

const placeOf = (row: ObligationRow | undefined) =>
  row && JSON.stringify([row.group_names, row.manager_login_id, Object.entries(row.attributes).sort()]);

const isTouched = (old: ObligationRow | undefined, row: ObligationRow) =>
  old === undefined ||
  Number(old.next_change_at) !== Number(row.next_change_at) ||
  (['announced', 'enroll_id', 'enrol_problem'] as const).some((name) => old[name] !== row[name]);

const announcedTypes: Partial<Record<ObligationRow['announced'], EventType>> = {
  due_soon: 'obligation.due_soon',
  overdue: 'obligation.overdue',
  met: 'obligation.met',
  expiring: 'obligation.expiring',
  expired: 'obligation.expired',
  closed: 'obligation.closed',
};

/** Each status is reported once. If the service was down meanwhile, only the last one is. The enrolment may follow. */
function eventsOf(
  row: ObligationRow,
  old: ObligationRow | undefined,
  now: Date,
  facts: Facts,
): (() => NewEvent)[] {
  const status = obligationStatusAt(row, now);
  const isOpen = status === 'not_due' || status === 'due_soon' || status === 'overdue';
  const countsAgain = row.announced === 'exempt' && isOpen;
  const types: EventType[] = old === undefined || countsAgain ? ['obligation.opened'] : [];
  const type = status === row.announced ? undefined : announcedTypes[status];
  if (type) types.push(type);
  row.announced = status;
  const courseId = facts.rules.get(row.requirement_id)?.rule.CourseIDs[0];
  return types.map((type) => () => ({
    ...{ type, userId: row.user_id },
    data: {
      RequirementID: row.requirement_id,
      Cycle: row.cycle,
      Status: status,
      DueAt: row.due_at.toISOString(),
      MetAt: row.met_at?.toISOString() ?? null,
      ValidUntil: row.valid_until?.toISOString() ?? null,
    },
    ...(row.enroll_id !== null && { enrollId: row.enroll_id }),
    ...(courseId !== undefined && { courseId }),
  }));
}

/** An enrolment for these cycles of a user, with their former EnrollIDs. */
type Wanted = { input: EnrolLast; rows: { row: ObligationRow; formerId: string | null }[] };

/**
 * Chooses enrolments for what is open, one for each user, course and cycle, and gives the rows their IDs. An enrolment that
 * somebody made by hand is taken over, so there is never a second chain, also if two requirements name the same course.
 */
function enrolmentsToMake(found: readonly Found[]): Wanted[] {
  const wanted = new Map<string, Wanted>();
  for (const { facts, evaluated, now } of found)
    for (const { member, after } of evaluated) {
      const row = after.findLast(({ closed_at }) => closed_at === null);
      const rule = facts.rules.get(member.requirement_id)?.rule;
      const courseId = rule?.CourseIDs[0];
      if (!row || !rule || courseId === undefined || !isToDo(row) || !member.is_member) continue;
      const latest = facts.enrolmentOn(member, courseId);
      const isOwn = latest?.enroll_id === row.enroll_id;
      const isCurrent = latest?.ended_at === null;
      if (isCurrent && (latest.status !== 'completed' || isOwn)) {
        row.enroll_id = latest.enroll_id;
        row.enrol_problem = null;
      } else if (!(isOwn && latest?.status === 'withdrawn')) {
        const key = JSON.stringify([member.user_id, courseId]);
        const option = rule.DurationID === null ? {} : { durationId: rule.DurationID };
        const one = wanted.get(key) ?? {
          input: {
            // An enrolment that is made by hand meanwhile is kept.
            ...{ loginId: member.login_id, courseId, IfEnrolled: isCurrent ? 'renew' : 'return', ...option },
            ...{ DueAt: row.due_at.toISOString(), enrollId: newId(now) },
          },
          rows: [],
        };
        one.rows.push({ row, formerId: row.enroll_id });
        Object.assign(row, { enroll_id: one.input.enrollId, enrol_problem: null });
        wanted.set(key, one);
      }
    }
  return [...wanted.values()];
}

/** Returns the rows that did not get the planned enrolment. What is refused is tried again on the next day. */
async function enrolWanted(
  ctx: TenantContext,
  wanted: readonly Wanted[],
  zone: string,
): Promise<ObligationRow[]> {
  const differing: ObligationRow[] = [];
  const now = tenantNow(ctx);
  const made = await enrolLast(
    ctx,
    wanted.map(({ input }) => input),
  );
  for (const [n, { input, rows }] of wanted.entries()) {
    const one = made[n];
    if (one === undefined || one === input.enrollId) continue;
    if (typeof one === 'string') {
      for (const { row } of rows) differing.push(Object.assign(row, { enroll_id: one }));
      continue;
    }
    const retry =
      one.code === 'unavailable'
        ? new Date(now.getTime() + 60_000)
        : firstInstant(addDays(dayOf(now, zone), 1), zone);
    for (const { row, formerId } of rows) {
      Object.assign(row, { enroll_id: formerId, enrol_problem: one.code });
      if (row.next_change_at === null || retry < row.next_change_at) row.next_change_at = retry;
      differing.push(row);
    }
  }
  return differing;
}

const isToDo = ({ met_at, exempt_at }: ObligationRow) => met_at === null && exempt_at === null;
