import Type from 'typebox';
import { logoTypes, maxLogoBytes, maxLogoSide } from '../../../../../standards/logo.ts';
import { Address, Fields, Instant, Nullable, OneOf } from '../../../platform/http/schema.ts';
import { Tenant } from '../schemas.ts';

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

const Shades = (description: string) =>
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
    Light: Nullable(Shades('The colour on light pages, with the contrast that WCAG 2.2 AA requires.')),
    Dark: Nullable(Shades('The colour on dark pages.')),
  },
  {
    title: 'PageBranding',
    description:
      "A tenant's public branding. All members are null if the tenant has neither a colour nor a logo.",
  },
);
export type PageBranding = Type.Static<typeof PageBranding>;
