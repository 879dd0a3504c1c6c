import { run } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { addDays, type Day, dayOf, daysBetween, firstInstant } from '../../lib/days.ts';
import type { Reminders } from '../tenants/schemas.ts';

/** The settings of a tenant, and of those of its requirements that differ. */
export type ReminderSettings = { tenant: Reminders; own: ReadonlyMap<string, Reminders>; zone: string };

const text = `
select client.reminders as settings, client.time_zone, null as requirement_id from tenant client where client.tenant_id = $1
union all
select rule.rule -> 'Reminders', null, rule.requirement_id from requirement rule
where rule.tenant_id = $1 and jsonb_typeof(rule.rule -> 'Reminders') = 'object'`;

type Row = { settings: Reminders; time_zone: string | null; requirement_id: string | null };

export async function reminderSettings(ctx: TenantContext): Promise<ReminderSettings> {
  const rows = await run<Row>(ctx, text, [ctx.tenantId]);
  const common = rows.find(({ requirement_id }) => requirement_id === null);
  if (!common) throw new Error('The tenant has no settings.');
  const own = rows.flatMap(({ requirement_id, settings }) =>
    requirement_id === null ? [] : [[requirement_id, { ...common.settings, ...settings }] as const],
  );
  return { tenant: common.settings, own: new Map(own), zone: common.time_zone ?? 'UTC' };
}

export const settingsOf = ({ tenant, own }: ReminderSettings, requirementId: string): Reminders =>
  own.get(requirementId) ?? tenant;

const maxWeeksOverdue = 52;

/** What is due from the first to before the second instant. */
export type Span = { from_at: string; until_at: string };

/**
 * The due dates for which one of the days after `last`, up to `today`, is the day of a reminder. Several days are looked
 * at together if the service was down, or a test clock was moved.
 */
export function spansOf(
  settings: Reminders,
  { last, today, zone }: { last: Day; today: Day; zone: string },
): { due: Span[]; ends: Span[] } {
  const before = [...settings.DaysBefore, ...(settings.OnTheDay ? [0] : [])];
  const weeks = settings.WeeklyWhenOverdue
    ? Array.from({ length: maxWeeksOverdue }, (_, n) => -7 * (n + 1))
    : [];
  const span = (days: number): Span => ({
    from_at: firstInstant(addDays(last, days + 1), zone).toISOString(),
    until_at: firstInstant(addDays(today, days + 1), zone).toISOString(),
  });
  if (!settings.Enabled) return { due: [], ends: [] };
  return { due: [...before, ...weeks].map(span), ends: before.map(span) };
}

const horizonDays = 30;

/** Emails leave out what comes later, unless a setting reminds of it even earlier. */
export const horizonAt = (now: Date, zone: string, days: readonly number[]): Date =>
  firstInstant(addDays(dayOf(now, zone), Math.max(horizonDays, ...days) + 1), zone);

const someMonday = '2024-01-01';

/** Whether one of the days after `last`, up to `today`, is a Monday. */
export const hasMonday = (last: Day, today: Day): boolean =>
  Math.floor(daysBetween(someMonday, today) / 7) > Math.floor(daysBetween(someMonday, last) / 7);

/** The requirements that are reported to managers: `others` is for all without settings of their own. */
export function digestOf({ tenant, own }: ReminderSettings): {
  others: boolean;
  own: string[];
  listed: string[];
} {
  const isReported = (settings: Reminders) => settings.Enabled && settings.ManagerDigest;
  return {
    others: isReported(tenant),
    own: [...own.keys()],
    listed: [...own].flatMap(([id, settings]) => (isReported(settings) ? [id] : [])),
  };
}

/** SQL on `held`: whether an obligation is reported to managers. The parameters have `digestOf`. */
export const isReportedSql = (others: string, own: string, listed: string) =>
  `(case when held.requirement_id = any(${own}::text[]) then held.requirement_id = any(${listed}::text[]) else ${others}::boolean end)`;
