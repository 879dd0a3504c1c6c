import { forTenant } from '../../../db/transaction.ts';
import type { Context } from '../../../infra/context/context.ts';
import { findTenantByName } from '../../tenants/tenants.ts';
import { consolePath } from '../schemas.ts';
import { providerOfEmail, startUrl } from './flow.ts';
import { enabledProviders } from './providers.ts';

/** The buttons for a tenant, or only that of the provider to which the address belongs. */
export async function signInProviders(ctx: Context, input: { tenant: string; email: string | undefined }) {
  const tenant = await findTenantByName(ctx, input.tenant);
  if (!tenant) return { Items: [] };
  const own = forTenant(ctx, tenant.tenant_id);
  const all = await enabledProviders(own, own.tenantId);
  const home = input.email === undefined ? null : providerOfEmail(all, input.email);
  const Items = (home ? [home] : all).map(({ provider_id: ProviderID, name: Name }) => ({
    ProviderID,
    Name,
    StartURL: startUrl(own, { providerId: ProviderID, target: consolePath }),
  }));
  return { Items };
}
