import type { Context } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { fold } from '../../platform/unicode.ts';
import type { PasswordHash } from './schemas.ts';

const find = `
select client.tenant_id, client.status, client.password_hash as declared, client.tenant_id = $1 as exact
from tenant client
where client.status <> 'deleting'
  and (client.tenant_id = $1 or client.folded_id = $2 or client.folded_name = $2)
order by exact desc limit 2`;

export type NamedTenant = { tenant_id: string; status: string; declared: PasswordHash; exact: boolean };

/**
 * The tenant with exactly this ID, or else the only tenant whose ID or name matches if case is ignored. Not
 * cached, because response times would reveal which tenants exist.
 */
export async function findTenantByName(ctx: Context, typed: string): Promise<NamedTenant | null> {
  const values = [typed, fold(typed)];
  const [first, second] = await run<NamedTenant>(ctx, { name: 'find_tenant_by_name', text: find, values });
  return first && (first.exact || !second) ? first : null;
}
