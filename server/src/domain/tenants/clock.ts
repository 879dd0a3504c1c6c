import { updateOwn } from '../../db/own-rows.ts';
import { cappedDuration, run, transaction } from '../../db/transaction.ts';
import { type Context, type TenantContext, tenantNowSql } from '../../infra/context/context.ts';
import { invalid } from '../../lib/errors.ts';
import { audit } from '../audit/chain.ts';
import { knownTenant, notATestTenant } from './tenants.ts';

/** How often each process reads the clocks of test tenants, and the time after which all have read a change. */
const readMilliseconds = 500;
export const clocksKnownMilliseconds = 1_000;

/** Maximum that a clock can be ahead: 20 years. */
const maxAheadSeconds = 20 * 365 * 86_400;

/** Reads how far the clocks of test tenants are ahead. */
export async function readClocks(ctx: Context): Promise<void> {
  const rows = await ctx.db
    .selectFrom('tenant')
    .select(['tenant_id', 'clock_offset'])
    .where('clock_offset', '>', 0)
    .execute();
  const ahead = rows.map(({ tenant_id, clock_offset }) => [tenant_id, (clock_offset ?? 0) * 1_000] as const);
  // A clock never moves back, so an older read that ends late must not win. Deleted tenants are left out.
  ctx.clocks.ahead = new Map(
    ahead.map(([tenantId, own]) => [tenantId, Math.max(own, ctx.clocks.ahead.get(tenantId) ?? 0)]),
  );
}

/** Keeps this process's clocks up to date. Returns a function that stops this. */
export async function pollClocks(ctx: Context): Promise<() => void> {
  await readClocks(ctx);
  let reading = false;
  const timer = setInterval(() => {
    if (reading) return;
    reading = true;
    readClocks(ctx)
      .catch((error: unknown) => ctx.log.warn({ err: error }, 'could not read the clocks of test tenants'))
      .finally(() => {
        reading = false;
      });
  }, readMilliseconds);
  return () => clearInterval(timer);
}

/** Throws unless the tenant is a test tenant. */
export async function requireTestTenant(ctx: TenantContext): Promise<void> {
  if ((await knownTenant.get(ctx, ctx.tenantId))?.isTest !== true) throw notATestTenant();
}

/** $2 is the service's time. The calendar determines how long a month is, as for the duration of an option. */
const plan = `
select client.clock_offset, extract(epoch from
  ${tenantNowSql('$2', 'client')} + ${cappedDuration('$3')} - $2::timestamptz)::float8 as moved
from tenant client where client.tenant_id = $1 for no key update`;

/** Moves the clock of a test tenant forward by an ISO 8601 duration, and returns its new time. */
export async function advanceClock(ctx: TenantContext, duration: string): Promise<Date> {
  const now = ctx.now();
  return transaction(ctx, async (ctx) => {
    const values = [ctx.tenantId, now, duration];
    const [row] = await run<{ clock_offset: number | null; moved: number }>(ctx, plan, values);
    if (row?.clock_offset == null) throw notATestTenant();
    const offset = Math.ceil(row.moved);
    if (offset > maxAheadSeconds)
      throw invalid(
        'Advance',
        'The clock of a test tenant can be at most 20 years ahead. Create another test tenant.',
      );
    await updateOwn(ctx, 'tenant').set({ clock_offset: offset }).execute();
    const time = new Date(now.getTime() + offset * 1_000);
    await audit(ctx, 'tenant.clock_moved', ctx.tenantId, { To: time.toISOString() });
    return time;
  });
}
