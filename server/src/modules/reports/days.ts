import { tenantNow } from '../../platform/clocks.ts';
import type { TenantContext } from '../../platform/context.ts';
import { readActivity } from './activity.ts';
import { countNextActivity } from './count-activity.ts';
import { dayAfter, dayOf } from './periods.ts';
import type { Day } from './schemas.ts';

/**
 * Returns the counts for each of the last days, including today: those of the activity report without filters. Returns
 * null if there are more events to count.
 */
export async function countDays(ctx: TenantContext, input: { days: number }): Promise<Day[] | null> {
  if (await countNextActivity(ctx)) return null;
  const to = dayOf(tenantNow(ctx));
  const from = dayAfter(to, 1 - input.days);
  const periods = Array.from({ length: input.days }, (_, n) => dayAfter(from, n)).map((day) => ({
    from: day,
    to: day,
  }));
  const activity = await readActivity(ctx, { periods, unit: 'day' });
  return activity.map(({ From, Enrolments, Starts, Completions }) => ({
    Day: From,
    Enrolments,
    Starts,
    Completions,
  }));
}
