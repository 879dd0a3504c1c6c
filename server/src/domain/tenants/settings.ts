import type { TenantContext } from '../../infra/context/context.ts';
import type { Settings, SettingsChange, Tenant } from './schemas.ts';
import { readTenant, updateTenant } from './tenants.ts';

const toSettings = (
  ctx: TenantContext,
  { Language, TimeZone, Reminders, RequireSignIn, ErasedCertificates, UpdatedAt }: Tenant,
): Settings => ({
  ...{ Language, TimeZone, Reminders, RequireSignIn, ErasedCertificates, UpdatedAt },
  SendsMail: ctx.config.mail !== null,
});

export async function readSettings(ctx: TenantContext): Promise<Settings> {
  return toSettings(ctx, await readTenant(ctx, { tenantId: ctx.tenantId }));
}

/** Changes the given settings of the caller's tenant; the others keep their values. */
export async function changeSettings(ctx: TenantContext, input: SettingsChange): Promise<Settings> {
  return toSettings(ctx, await updateTenant(ctx, { ...input, tenantId: ctx.tenantId }));
}
