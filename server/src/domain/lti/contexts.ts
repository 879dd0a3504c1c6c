import { forTenant, run } from '../../db/transaction.ts';
import { createCache } from '../../infra/context/cache.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { storable } from '../../lib/unicode.ts';
import type { Claims } from './verify.ts';

const noteText = `
insert into lti_context as held (tenant_id, platform_id, context_id, title, members_url)
select $1, platform_id, $3, $4, $5 from lti_platform where tenant_id = $1 and platform_id = $2
on conflict (tenant_id, platform_id, context_id) do update
set title = excluded.title, members_url = excluded.members_url
where held.title is distinct from excluded.title or held.members_url <> excluded.members_url`;

/** Contexts that were noted within the last hour, so that a launch costs no statement. */
const noted = createCache<true>({
  name: 'lti_contexts',
  milliseconds: 3_600_000,
  max: 10_000,
  load: async (ctx, key) => {
    const [tenantId = '', ...values] = JSON.parse(key) as string[];
    await run(forTenant(ctx, tenantId), noteText, [tenantId, ...values]);
    return true;
  },
});

/** Remembers where the members of a course in the platform can be read. */
export async function noteContext(
  ctx: TenantContext,
  platformId: string,
  context: Claims['context'],
): Promise<void> {
  if (context === null || context.membersUrl === null) return;
  const { id, title, membersUrl } = context;
  if (storable(id) !== id) return;
  const shown = title === null ? null : storable(title);
  await noted.get(ctx, JSON.stringify([ctx.tenantId, platformId, id, shown, membersUrl]));
}
