import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';

const find = `
select sent.address from unnest($2::text[]) sent (address) where exists (
  select from "user" account where account.tenant_id = $1 and account.email_bounced_at is not null
    and lower(account.email) collate "C" = lower(sent.address) collate "C"
)`;

/** The addresses that get no email from this tenant, because an email to them has bounced. */
export async function findBounced(
  ctx: TenantContext,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  if (addresses.length === 0) return new Set();
  const values = [ctx.tenantId, addresses];
  const found = await run<{ address: string }>(ctx, { name: 'find_bounced', text: find, values });
  return new Set(found.map(({ address }) => address));
}
