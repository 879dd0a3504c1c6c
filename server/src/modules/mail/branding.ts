import type { TenantContext } from '../../platform/context.ts';
import { knownBranding, type LogoFile, readLogoFile } from '../tenants/branding/known-branding.ts';

/** The branding in a tenant's emails. The colours are those for light pages, as most mail programs use light mode. */
export type MailBranding = {
  button: { fill: string; text: string } | null;
  logo: LogoFile | null;
};

export async function mailBranding(ctx: TenantContext): Promise<MailBranding> {
  const { light, logoName } = await knownBranding.get(ctx, ctx.tenantId);
  return {
    button: light && { fill: light.Fill, text: light.OnFill },
    logo: logoName === null ? null : await readLogoFile(ctx, ctx.tenantId, logoName),
  };
}
