import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { dayOf, isDay, lastSecond } from '../../lib/days.ts';
import { invalid } from '../../lib/errors.ts';
import { timeZoneOf } from '../tenants/time-zone.ts';

/** What an obligation keeps of its former values, see `keepEarlier`. */
const kept = {
  follows: 'boolean',
  ...{ due_at: 'timestamptz', due_soon_at: 'timestamptz', met_at: 'timestamptz', external: 'boolean' },
  ...{ valid_until: 'timestamptz', expiring_at: 'timestamptz', exempt_at: 'timestamptz' },
  ...{ exempt_until: 'timestamptz', exempt_reason: 'text', left_at: 'timestamptz', closed_at: 'timestamptz' },
  ...{ group_names: 'text[]', manager_login_id: 'text', attributes: 'jsonb' },
};
export const keptColumns = Object.keys(kept);
const keptAs = Object.entries(kept)
  .map(([name, type]) => `${name} ${type}`)
  .join(', ');

/**
 * SQL: the tenant's obligations as they were at a time, with further columns as they are now: the first of the former
 * values that held for longer than until then, if there are any.
 */
export const formerText = (at: string, further: readonly string[]) => `
select ${further.map((name) => `held.${name}`).join(', ')},
  ${keptColumns.map((name) => `case when former.until is null then held.${name} else former.${name} end as ${name}`).join(',\n  ')}
from obligation held
left join lateral (
  select known.* from jsonb_to_recordset(held.earlier) as known (until timestamptz, ${keptAs})
  where known.until > ${at} order by known.until limit 1
) former on true
where held.tenant_id = $1 and held.opened_at <= ${at}`;

/** The day of a report and the time that its figures show: the end of a past day, or now. */
export async function reportDay(ctx: TenantContext, AsOf: string | undefined) {
  const now = tenantNow(ctx);
  const zone = await timeZoneOf(ctx);
  const today = dayOf(now, zone);
  if (AsOf !== undefined && (!isDay(AsOf) || AsOf > today))
    throw invalid('AsOf', `Send AsOf as a day up to today, ${today}.`);
  const day = AsOf ?? today;
  const isPast = day < today;
  return { day, isPast, at: isPast ? lastSecond(day, zone) : now };
}
