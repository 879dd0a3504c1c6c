import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { foldCase } from '../../platform/unicode.ts';

const find = `
select sent.folded from unnest($2::text[]) sent (folded) where exists (
  select from "user" account where account.tenant_id = $1 and account.email_bounced_at is not null
    and account.folded_email = sent.folded
)`;

/** The addresses that get no email from this tenant, because an email to them has bounced. */
export async function findBounced(
  ctx: TenantContext,
  addresses: readonly string[],
): Promise<ReadonlySet<string>> {
  if (addresses.length === 0) return new Set();
  const values = [ctx.tenantId, addresses.map(foldCase)];
  const found = await run<{ folded: string }>(ctx, { name: 'find_bounced', text: find, values });
  const folded = new Set(found.map((one) => one.folded));
  return new Set(addresses.filter((address) => folded.has(foldCase(address))));
}
