import { type Shades, shadesOf } from '../../../../../standards/contrast.ts';
import type { LogoType } from '../../../../../standards/logo.ts';
import { createCache } from '../../../platform/cache.ts';
import type { Context } from '../../../platform/context.ts';
import { run } from '../../../platform/db/transaction.ts';
import { path } from '../../../platform/http/routes.ts';
import type { Language } from '../schemas.ts';
import { logoNameLength, type Size } from './logos.ts';
import type { PageBranding } from './schemas.ts';

type Row = { name: string; language: Language; colour: string | null; logo_name: string | null };

/** One statement for all tenants, so that the response time does not reveal which of them exist. */
const read = `
select client.name, client.language, own.colour, own.logo_name
from branding own join tenant client on client.tenant_id = $1
where own.tenant_id = $1 and client.status <> 'deleting' and (own.colour is not null or own.logo_name is not null)`;

export type KnownBranding = {
  /** Null if the tenant has neither a colour nor a logo, or does not exist. */
  readonly of: { readonly Name: string; readonly Language: Language } | null;
  readonly colour: string | null;
  readonly light: Shades | null;
  readonly dark: Shades | null;
  readonly logoName: string | null;
};

const none: KnownBranding = { of: null, colour: null, light: null, dark: null, logoName: null };

/** Also caches that a tenant has no branding. Changes take effect on all nodes within 5 s. */
export const knownBranding = createCache<KnownBranding>({
  name: 'brandings',
  milliseconds: 3_000,
  max: 10_000,
  load: async (ctx, tenantId) => {
    const [row] = await run<Row>(ctx, { name: 'read_branding', text: read, values: [tenantId] });
    if (!row) return none;
    const { name: Name, language: Language, colour, logo_name: logoName } = row;
    const [light, dark] = colour ? [shadesOf(colour, 'light'), shadesOf(colour, 'dark')] : [null, null];
    return { of: { Name, Language }, colour, light, dark, logoName };
  },
});

export const logoPath = (tenantId: string, logoName: string) => path`/branding/${tenantId}/logo/${logoName}`;

export function toPageBranding(ctx: Context, tenantId: string, known: KnownBranding): PageBranding {
  const { of, colour: Colour, light: Light, dark: Dark, logoName } = known;
  const LogoURL = logoName === null ? null : `${ctx.config.baseUrl}${logoPath(tenantId, logoName)}`;
  return { Name: of?.Name ?? null, Language: of?.Language ?? null, LogoURL, Colour, Light, Dark };
}

/** For people who belong to no tenant, and for tenants without branding. */
export const noBranding: PageBranding = {
  ...{ Name: null, Language: null, LogoURL: null },
  ...{ Colour: null, Light: null, Dark: null },
};

export async function pageBranding(ctx: Context, tenantId: string): Promise<PageBranding> {
  return toPageBranding(ctx, tenantId, await knownBranding.get(ctx, tenantId));
}

export type LogoFile = Size & { type: LogoType; content: Buffer };

const readContent = `
select own.logo_type as type, own.logo as content, own.logo_width as width, own.logo_height as height
from branding own join tenant client on client.tenant_id = $1
where own.tenant_id = $1 and own.logo_name = $2 and client.status <> 'deleting'`;

/** Names of logos have a fixed length, so keys are unambiguous. */
const logoFiles = createCache<LogoFile | null>({
  name: 'logos',
  milliseconds: 60_000,
  max: 1_000,
  bytes: { of: (file) => file?.content.length ?? 0, max: 16 * 1024 ** 2 },
  load: async (ctx, key) => {
    const [name, tenantId] = [key.slice(0, logoNameLength), key.slice(logoNameLength)];
    const values = [tenantId, name];
    const [row] = await run<LogoFile>(ctx, { name: 'read_logo', text: readContent, values });
    return row ? { ...row, content: Buffer.from(row.content) } : null;
  },
});

/** The logo with this name; null if the tenant has another logo or none, or does not exist. */
export function readLogoFile(ctx: Context, tenantId: string, name: string): Promise<LogoFile | null> {
  return logoFiles.get(ctx, name + tenantId);
}
