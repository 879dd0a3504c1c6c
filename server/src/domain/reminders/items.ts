import { fullName } from '../../../../standards/full-name.ts';
import { run } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { dayOf } from '../../lib/days.ts';
import type { MailCheck, ReminderItem } from '../mail/kinds.ts';
import { evaluateUsers } from '../requirements/apply.ts';
import { isOpen } from '../requirements/status.ts';
import { findUserId } from '../users/users.ts';
import { hasEnd, hasOwnDueDate, isStudied } from './choose.ts';
import {
  digestOf,
  horizonAt,
  isReportedSql,
  type ReminderSettings,
  reminderSettings,
  settingsOf,
} from './settings.ts';
import { ownWords } from './texts.ts';

type Open = { userId: string; requirementId: string; title: string; course: string; dueAt: Date };

const titlesText = `select course.course_id, course.title from course where course.course_id = any($1)`;

/** What is open for these users, evaluated now, so that what was completed a moment ago is not. */
async function openObligations(ctx: TenantContext, users: readonly string[]): Promise<Open[]> {
  const { facts, evaluated } = await evaluateUsers(ctx, users, null);
  const courseOf = (requirementId: string) => facts.rules.get(requirementId)?.rule.CourseIDs[0] ?? '';
  const courses = await run<{ course_id: string; title: string }>(ctx, titlesText, [
    [...facts.rules.keys()].map(courseOf),
  ]);
  const titles = new Map(courses.map(({ course_id, title }) => [course_id, title]));
  return evaluated.flatMap(({ member, after }) =>
    after
      .filter(
        ({ closed_at, exempt_at, met_at }) => closed_at === null && exempt_at === null && met_at === null,
      )
      .map(({ requirement_id, due_at }) => ({
        userId: member.user_id,
        requirementId: requirement_id,
        title: facts.rules.get(requirement_id)?.rule.Title ?? requirement_id,
        course: titles.get(courseOf(requirement_id)) ?? courseOf(requirement_id),
        dueAt: due_at,
      })),
  );
}

const enrolmentsText = `
select course.title, case when ${hasOwnDueDate} and held.due_at < $3 then held.due_at end as due_at,
  case when ${hasEnd('$4', '$5')} then held.expires_at end as expires_at
from enrolment held join course on course.course_id = held.course_id
where held.tenant_id = $1 and held.user_id = $2 and ${isStudied}`;

type Dated = { title: string; due_at: Date | null; expires_at: Date | null };

const endOfTime = new Date('9999-12-31T00:00:00Z');

async function ownItems(
  ctx: TenantContext,
  { userId, isByHand, settings }: { userId: string; isByHand: boolean; settings: ReminderSettings },
): Promise<ReminderItem[]> {
  const now = tenantNow(ctx);
  const { zone, tenant } = settings;
  const horizonOf = (days: readonly number[]) => (isByHand ? endOfTime : horizonAt(now, zone, days));
  const due = (title: string, at: Date, course = title): ReminderItem => ({
    ...{ title, course, day: dayOf(at, zone) },
    kind: at < now ? 'overdue' : 'due',
  });
  const obligations = (await openObligations(ctx, [userId])).filter(({ requirementId, dueAt }) => {
    const { Enabled, DaysBefore } = settingsOf(settings, requirementId);
    return (isByHand || Enabled) && dueAt < horizonOf(DaysBefore);
  });
  const values = [
    ...[ctx.tenantId, userId, horizonOf(tenant.DaysBefore), now],
    horizonAt(now, zone, tenant.DaysBefore),
  ];
  const enrolments = isByHand || tenant.Enabled ? await run<Dated>(ctx, enrolmentsText, values) : [];
  return [
    ...obligations.map(({ title, dueAt, course }) => due(title, dueAt, course)),
    ...enrolments.flatMap(({ title, due_at }) => (due_at === null ? [] : [due(title, due_at)])),
    ...enrolments.flatMap(({ title, expires_at }): ReminderItem[] =>
      expires_at === null ? [] : [{ kind: 'ends', title, day: dayOf(expires_at, zone) }],
    ),
  ].sort((one, other) => (one.day < other.day ? -1 : 1));
}

const teamText = `
select held.user_id, held.requirement_id, account.login_id, account.first_name, account.last_name
from obligation held
join "user" account on account.tenant_id = $1 and account.user_id = held.user_id and account.enabled
where held.tenant_id = $1 and held.manager_login_id = $2 and ${isOpen} and held.due_at < $3
  and ${isReportedSql('$4', '$5', '$6')}
order by held.due_at, held.obligation_id limit 200`;

type Overdue = Record<'user_id' | 'requirement_id' | 'login_id', string> &
  Record<'first_name' | 'last_name', string | null>;

/** The overdue obligations of a manager's direct reports. */
async function teamItems(
  ctx: TenantContext,
  loginId: string,
  settings: ReminderSettings,
): Promise<ReminderItem[]> {
  const now = tenantNow(ctx);
  const { others, own, listed } = digestOf(settings);
  const found = await run<Overdue>(ctx, teamText, [ctx.tenantId, loginId, now, others, own, listed]);
  const open = await openObligations(ctx, [...new Set(found.map(({ user_id }) => user_id))]);
  return found.flatMap(({ user_id, requirement_id, login_id, first_name, last_name }): ReminderItem[] => {
    const one = open.find(
      ({ userId, requirementId }) => userId === user_id && requirementId === requirement_id,
    );
    if (!one || one.dueAt >= now) return [];
    const { title, course, dueAt } = one;
    const who = fullName(first_name, last_name) || login_id;
    return [{ kind: 'overdue', title, course, day: dayOf(dueAt, settings.zone), who }];
  });
}

/** What a reminder says when it is sent; null if nothing is open any more. */
export const readReminder: MailCheck = async (ctx, content) => {
  const userId = await findUserId(ctx, content.loginId);
  if (!content.reminder || userId === null) return null;
  const { isByHand, isForManager } = content.reminder;
  const settings = await reminderSettings(ctx);
  const own = await ownItems(ctx, { userId, isByHand, settings });
  const team = isForManager ? await teamItems(ctx, content.loginId, settings) : [];
  if (own.length + team.length === 0) return null;
  return { ...content, reminder: { ...content.reminder, own, team, words: await ownWords(ctx) } };
};
