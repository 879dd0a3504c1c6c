import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { addPeriods, dayOf, lastSecond } from '../../lib/days.ts';
import { knownPeriods } from '../catalogue/options.ts';
import { endOfDay, timeZoneOf } from '../tenants/time-zone.ts';

/** The input with DueAt as an instant. */
export async function withDueAt<I extends { DueAt?: string | null }>(
  ctx: TenantContext,
  input: I,
): Promise<I> {
  if (input.DueAt == null) return input;
  return { ...input, DueAt: (await endOfDay(ctx, input.DueAt, 'DueAt')).toISOString() };
}

/**
 * When an enrolment that is created now is due, by the option that the database will choose; null if none of the
 * options has a period.
 */
export async function dueDatesOf(
  ctx: TenantContext,
  { courseId, DueAt }: { courseId: string; DueAt?: string | null },
): Promise<Record<string, string> | null> {
  if (DueAt !== undefined) return null;
  const periods = await knownPeriods.get(ctx, courseId);
  if (periods.size === 0) return null;
  const timeZone = await timeZoneOf(ctx);
  const today = dayOf(tenantNow(ctx), timeZone);
  const dueAfter = (period: string) => lastSecond(addPeriods(today, period), timeZone).toISOString();
  return Object.fromEntries([...periods].map(([durationId, period]) => [durationId, dueAfter(period)]));
}
