import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { logoTypes } from '../../../../standards/logo.ts';
import { ok, type RouteResponse, route } from '../../http/routes.ts';
import { Identifier } from '../../http/validation/schema.ts';
import { Problem } from '../../lib/errors.ts';
import {
  Branding,
  BrandingChange,
  logoHeaders,
  logoNameLength,
  PageBranding,
  pageBranding,
  readLogoFile,
} from './branding.ts';
import { changeBranding, readBranding } from './change-branding.ts';

const common = { tag: 'Tenants', access: 'tenant' } as const;
const open = { tag: 'Tenants', access: 'anyone', scope: null } as const;
const TenantID = Identifier('The tenant.', 64);

/** Larger than the largest logo in Base64. */
const bodyLimit = 256 * 1024;

const isKnown = ({ headers }: FastifyRequest, etag: string) => headers['if-none-match'] === etag;

export const brandingRoutes = [
  route('GET /branding', 'readBranding', {
    ...common,
    summary: 'Read the branding of your tenant',
    description: 'The colour and the logo. An operator names the tenant in the Tenant header.',
    scope: 'users:read',
    responses: { 200: { description: 'The branding.', schema: Branding } },
    handle: async (ctx) => ok(await readBranding(ctx)),
  }),
  route('PUT /branding', 'changeBranding', {
    ...common,
    summary: 'Change the branding of your tenant',
    description:
      "Sets the colour and the logo of the tenant's sign-in page, console, player and emails. Once either is set, the pages also show the tenant's Name, and use its Language by default. Pages change within 5 seconds on all nodes. The service keeps the colour as it is, and derives legible shades for light and dark pages.",
    example: ['Colour', 'Logo'],
    // People trust a sign-in page with their own logo, so only administrators can change it.
    scope: 'users:write',
    additionalScopes: ['users:admin'],
    body: BrandingChange,
    bodyLimit,
    responses: { 200: { description: 'The changed branding.', schema: Branding } },
    events: [],
    audits: ['branding.changed'],
    handle: async (ctx, { body }) => ok(await changeBranding(ctx, body)),
  }),
  route('GET /branding/{TenantID}', 'readPageBranding', {
    ...open,
    summary: "Read a tenant's public branding",
    description:
      'For sign-in pages. Needs no key. The response does not reveal whether a tenant without branding exists.',
    params: Type.Object({ TenantID }),
    responses: {
      200: { description: 'The branding; all members are null if there is none.', schema: PageBranding },
      304: { description: 'The client already has the current branding.' },
    },
    handle: async (ctx, { params, request }): Promise<RouteResponse> => {
      const body = await pageBranding(ctx, params.TenantID);
      const ETag = `"${createHash('sha256').update(JSON.stringify(body)).digest('base64url').slice(0, 22)}"`;
      const headers = { ETag, 'Cache-Control': 'public, no-cache' };
      return isKnown(request, ETag) ? { status: 304, headers } : { status: 200, body, headers };
    },
  }),
  route('GET /branding/{TenantID}/logo/{LogoName}', 'readLogo', {
    ...open,
    logs: 'failures',
    summary: "Read a tenant's logo",
    description: 'The `LogoURL` of the branding. Needs no key.',
    params: Type.Object({
      TenantID,
      LogoName: Type.String({
        pattern: `^[A-Za-z0-9_-]{${logoNameLength}}$`,
        description: 'Part of the LogoURL. It changes with the image.',
      }),
    }),
    responses: {
      200: { description: 'The image.', type: logoTypes },
      304: { description: 'The client already has the image.' },
    },
    problems: ['not_found'],
    handle: async (ctx, { params, request }): Promise<RouteResponse> => {
      const file = await readLogoFile(ctx, params.TenantID, params.LogoName);
      if (!file) throw new Problem('not_found', 'This logo does not exist. Read the current LogoURL.');
      const ETag = `"${params.LogoName}"`;
      const headers = {
        ...{ ...logoHeaders, ETag, 'Content-Type': file.type },
        'Cache-Control': 'public, max-age=31536000, immutable',
        // Clients may show the logo on their own pages.
        'Cross-Origin-Resource-Policy': 'cross-origin',
      };
      return isKnown(request, ETag) ? { status: 304, headers } : { status: 200, body: file.content, headers };
    },
  }),
];
