import { run } from '../../../db/transaction.ts';
import type { Context } from '../../../infra/context/context.ts';
import { isServed, serveInTurns } from '../../../infra/operations/jobs.ts';
import { syncPlatform } from './sync.ts';

/** UTC. Once a day, when few people learn. */
const hour = 1;

function lastNight(now: Date): Date {
  const night = new Date(now.getTime() - hour * 3_600_000);
  night.setUTCHours(hour, 0, 0, 0);
  return night;
}

const isDue = (
  since: string,
  tenant: string,
) => `held.members <> 'off' and (held.synced_at is null or held.synced_at < ${since})
  and held.created_at < ${since}
  and exists (select from lti_context own where own.tenant_id = ${tenant} and own.platform_id = held.platform_id)`;

const dueTenants = `/* across tenants: platforms of all tenants */
select held.tenant_id from lti_platform held
join tenant client on client.tenant_id = held.tenant_id and client.status = 'active'
where ${isDue('$3', 'held.tenant_id')} and held.tenant_id <> all($1::text[]) and ${isServed('held.tenant_id', '$2')}
group by held.tenant_id order by min(held.synced_at) nulls first limit 50`;

const duePlatform = `
select held.platform_id from lti_platform held where held.tenant_id = $1 and ${isDue('$2', '$1')}
order by held.synced_at nulls first limit 1`;

/** Job: reads the members of platforms every night, one platform of each tenant in turn. */
export const syncPlatforms = (ctx: Context): Promise<void> =>
  serveInTurns(ctx, {
    name: 'due_platforms',
    text: dueTenants,
    values: () => [lastNight(ctx.now())],
    work: async (ctx) => {
      const values = [ctx.tenantId, lastNight(ctx.now())];
      const [due] = await run<{ platform_id: string }>(ctx, duePlatform, values);
      return due !== undefined && (await syncPlatform(ctx, due.platform_id));
    },
  });
