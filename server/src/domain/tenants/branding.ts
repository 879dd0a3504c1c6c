import Type from 'typebox';
import { type Shades, shadesOf } from '../../../../standards/contrast.ts';
import { type LogoType, logoTypes, maxLogoBytes, maxLogoSide } from '../../../../standards/logo.ts';
import { run } from '../../db/transaction.ts';
import { path } from '../../http/routes.ts';
import { Address, Fields, Instant, Nullable, OneOf } from '../../http/validation/schema.ts';
import { createCache } from '../../infra/context/cache.ts';
import type { Context } from '../../infra/context/context.ts';
import { invalid } from '../../lib/errors.ts';
import { type Language, Tenant } from './schemas.ts';

/** In a logo's URL. */
export const logoNameLength = 22;

/** Whatever the file contained before it was checked, browsers treat it only as an image. */
export const logoHeaders = {
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Content-Disposition': 'inline',
  'X-Content-Type-Options': 'nosniff',
};

export type Size = { width: number; height: number };

export function rejectLogo(detail: string): never {
  throw invalid('Logo', detail);
}

export function rejectDamaged(): never {
  rejectLogo('The image is incomplete or damaged. Save it again with an image editor.');
}

/** A small file can describe an image that takes gigabytes to draw. */
export function checkSize({ width, height }: Size): Size {
  if (width < 1 || height < 1 || width > maxLogoSide || height > maxLogoSide)
    rejectLogo(
      `The image is ${width} × ${height} pixels. Use an image of at most ${maxLogoSide} × ${maxLogoSide} pixels.`,
    );
  return { width, height };
}

/** One pixel. Tests send it, and read it under its name. */
export const exampleLogo = {
  base64: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGNgCN8BAAFqARBhJv9LAAAAAElFTkSuQmCC',
  name: 'JeEl-t9mZ4GQvG-8oxI7d3',
};

const Colour = Type.String({
  pattern: '^#[0-9A-Fa-f]{6}$',
  examples: ['#0057b8'],
  description: 'The colour of buttons, links and progress bars, as #rrggbb.',
});

const LogoURL = Type.String({
  ...Address('The image. Its content never changes: a new logo has a new URL. It can be read without a key.'),
  examples: [`https://lectern.example.com/branding/acme/logo/${exampleLogo.name}`],
});

const Logo = Fields(
  {
    URL: LogoURL,
    Type: OneOf(logoTypes),
    Width: Type.Integer({ minimum: 1, maximum: maxLogoSide, examples: [480] }),
    Height: Type.Integer({ minimum: 1, maximum: maxLogoSide, examples: [120] }),
    Bytes: Type.Integer({ minimum: 1, maximum: maxLogoBytes, examples: [9_214] }),
  },
  { title: 'Logo', description: 'The image, as browsers get it.' },
);

export const Branding = Fields(
  { Colour: Nullable(Colour), Logo: Nullable(Logo), UpdatedAt: Nullable(Instant()) },
  {
    title: 'Branding',
    description: "The settings of a tenant's branding. Name and Language are fields of the tenant.",
  },
);
export type Branding = Type.Static<typeof Branding>;

export const BrandingChange = Type.Partial(
  Fields({
    Colour: Nullable(Colour),
    Logo: Nullable(
      Type.String({
        minLength: 4,
        maxLength: 4 * Math.ceil(maxLogoBytes / 3),
        pattern: '^[A-Za-z0-9+/]+={0,2}$',
        examples: [exampleLogo.base64],
        description: `A PNG, JPEG or WebP image in Base64: at most ${maxLogoBytes / 1024} KiB, and ${maxLogoSide} × ${maxLogoSide} pixels. Metadata is removed. Some email programs cannot show WebP. null removes the logo.`,
      }),
    ),
  }),
  { additionalProperties: false, title: 'BrandingChange' },
);
export type BrandingChange = Type.Static<typeof BrandingChange>;

const shade = (example: string, description: string) =>
  Type.String({ pattern: '^#[0-9a-f]{6}$', examples: [example], description });

const shadesSchema = (description: string) =>
  Fields(
    {
      Fill: shade('#0057b8', 'For buttons: `Colour`, unless it would be hard to see on the page.'),
      OnFill: shade('#ffffff', 'For text on `Fill`: white or black, at least 4.5:1.'),
      Soft: shade('#e0ebf6', 'A tint for backgrounds.'),
      Text: shade('#0057b8', 'For links and progress bars: at least 4.5:1 on the page and on `Soft`.'),
    },
    { description },
  );

/** What pages need. All members are null if the tenant has neither a colour nor a logo, or does not exist. */
export const PageBranding = Fields(
  {
    Name: Nullable({ ...Tenant.properties.Name, examples: ['Acme Ltd'] }),
    Language: Nullable(Tenant.properties.Language),
    LogoURL: Nullable(LogoURL),
    Colour: Nullable(Colour),
    Light: Nullable(shadesSchema('The colour on light pages, with the contrast that WCAG 2.2 AA requires.')),
    Dark: Nullable(shadesSchema('The colour on dark pages.')),
  },
  {
    title: 'PageBranding',
    description:
      "A tenant's public branding. All members are null if the tenant has neither a colour nor a logo.",
  },
);
export type PageBranding = Type.Static<typeof PageBranding>;

type Row = { name: string; language: Language; colour: string | null; logo_name: string | null };

/** One statement for all tenants, so that the response time does not reveal which of them exist. */
const read = `
select client.name, client.language, own.colour, own.logo_name
from branding own join tenant client on client.tenant_id = $1
where own.tenant_id = $1 and client.status <> 'deleting' and (own.colour is not null or own.logo_name is not null)`;

type KnownBranding = {
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
    const [row] = await run<Row>(ctx, read, [tenantId]);
    if (!row) return none;
    const { name: Name, language: Language, colour, logo_name: logoName } = row;
    const [light, dark] = colour ? [shadesOf(colour, 'light'), shadesOf(colour, 'dark')] : [null, null];
    return { of: { Name, Language }, colour, light, dark, logoName };
  },
});

export const logoPath = (tenantId: string, logoName: string) => path`/branding/${tenantId}/logo/${logoName}`;

function toPageBranding(ctx: Context, tenantId: string, known: KnownBranding): PageBranding {
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
    const [row] = await run<LogoFile>(ctx, readContent, [tenantId, name]);
    return row ? { ...row, content: Buffer.from(row.content) } : null;
  },
});

/** The image with this name; null if the tenant has another logo or none, or does not exist. */
export function readLogoFile(ctx: Context, tenantId: string, name: string): Promise<LogoFile | null> {
  return logoFiles.get(ctx, name + tenantId);
}
