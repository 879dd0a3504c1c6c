import type { Context } from '../../platform/context.ts';
import { Problem } from '../../platform/errors.ts';
import { knownTenant } from './tenants.ts';

/** This text is also shown to learners. */
export const suspendedReason =
  'Access is currently suspended. Nothing has been lost. Try again later, or ask your administrator.';

export async function isSuspended(ctx: Context, tenantId: string | null): Promise<boolean> {
  return tenantId !== null && (await knownTenant.get(ctx, tenantId))?.Status === 'suspended';
}

/**
 * Rejects requests with a link or session that belongs to a suspended or deleted tenant. `tenantId` is null
 * for the operator's own links and sessions.
 */
export async function rejectSuspended(ctx: Context, tenantId: string | null): Promise<void> {
  if (tenantId === null) return;
  const tenant = await knownTenant.get(ctx, tenantId);
  if (!tenant)
    throw new Problem('tenant_not_found', 'This course is no longer available. Ask your administrator.');
  if (tenant.Status === 'suspended') throw new Problem('tenant_suspended', suspendedReason);
}
