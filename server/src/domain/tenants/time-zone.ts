import type { TenantContext } from '../../infra/context/context.ts';
import { endOfSentDay, firstInstant, isDay, lastSecond } from '../../lib/days.ts';
import { invalid } from '../../lib/errors.ts';
import { isInstant } from '../../lib/instants.ts';
import { knownTenant } from './tenants.ts';

/** The zone in which the days of the tenant begin and end. */
export async function timeZoneOf(ctx: TenantContext): Promise<string> {
  return (await knownTenant.get(ctx, ctx.tenantId))?.TimeZone ?? 'UTC';
}

function rejectNoDate(sent: string, param: string): void {
  if (isDay(sent) || isInstant(sent)) return;
  throw invalid(
    param,
    `${param} must be a day such as 2026-12-31, or a date and time such as 2026-12-31T09:00:00Z.`,
  );
}

/** The last second of the day that was sent, which is a day or an instant. */
export async function endOfDay(ctx: TenantContext, sent: string, param: string): Promise<Date> {
  rejectNoDate(sent, param);
  return endOfSentDay(sent, await timeZoneOf(ctx));
}

/** The instant that was sent, or the last second of the day. */
export async function endAt(ctx: TenantContext, sent: string, param: string): Promise<Date> {
  rejectNoDate(sent, param);
  return isDay(sent) ? lastSecond(sent, await timeZoneOf(ctx)) : new Date(sent);
}

/** The instant that was sent, or at which the day begins. */
export async function startOfDay(ctx: TenantContext, sent: string, param: string): Promise<Date> {
  rejectNoDate(sent, param);
  return isDay(sent) ? firstInstant(sent, await timeZoneOf(ctx)) : new Date(sent);
}
