import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { RouteResponse } from '../../../http/routes.ts';
import { Fields, Instant } from '../../../http/validation/schema.ts';
import type { Context } from '../../../infra/context/context.ts';
import { findPlayable } from '../../catalogue/playable.ts';
import { knownTenant } from '../../tenants/tenants.ts';
import { contentOrigin } from './content-origins.ts';
import { languageOf, textsIn } from './page-texts.ts';
import { previewFraming } from './preview-session.ts';
import {
  openUntil,
  type PreviewLink,
  readPreviewLink,
  writePreviewLink,
  writePreviewTicket,
} from './preview-tokens.ts';
import { redirectToPlayer, rejectionPage } from './rejection-page.ts';
import { isAllowedReturn, readReturnUrl } from './return-url.ts';

export const Preview = Fields(
  {
    PreviewURL: Type.String({
      description:
        'Plays the course and records nothing. Accepts `&returnURL=` like a LaunchURL. Anyone holding the link can see the course.',
    }),
    ExpiresAt: Instant(
      'PreviewURL can be opened until this time, 15 minutes after the request. An opened preview ends two hours after the request.',
    ),
  },
  { title: 'Preview' },
);
export type Preview = Type.Static<typeof Preview>;

/** Creates a preview without storing anything. `tenantId` is null for the operator, who also sees drafts. */
export async function createPreview(
  ctx: Context,
  input: { courseId: string; release: number | null; tenantId: string | null },
): Promise<Preview> {
  const { courseId, tenantId } = input;
  const { release } = await findPlayable(ctx, input);
  const link = { courseId, release, tenantId, at: ctx.now().getTime() };
  return {
    PreviewURL: `${contentOrigin(ctx, { use: 'preview', tenantId, courseId })}/preview?ticket=${writePreviewLink(ctx, link)}`,
    ExpiresAt: new Date(openUntil(link)).toISOString(),
  };
}

export function ticketIn(address: string): string | null {
  return new URLSearchParams(address.slice(address.indexOf('?') + 1)).get('ticket');
}

/** Reads a PreviewURL. Returns null if the link is forged or has expired. */
export function openLinkIn(ctx: Context, address: string): PreviewLink | null {
  const link = readPreviewLink(ctx, ticketIn(address) ?? '');
  return link && ctx.now().getTime() < openUntil(link) ? link : null;
}

export async function clickPreview(ctx: Context, request: FastifyRequest): Promise<RouteResponse> {
  const address = request.raw.url ?? '';
  const link = openLinkIn(ctx, address);
  const language = languageOf(request);
  const { pages } = textsIn(language);
  if (!link) return rejectionPage({ status: 404, language, ...pages.expiredPreview, framing: '*' });
  const requested = readReturnUrl(address);
  const tenant = link.tenantId === null ? null : await knownTenant.get(ctx, link.tenantId);
  const origins = tenant?.ReturnOrigins ?? null;
  const back = requested !== null && isAllowedReturn(requested, origins) ? requested : null;
  if (tenant?.Status === 'suspended')
    return rejectionPage({
      status: 403,
      language,
      ...pages.suspended,
      back,
      framing: await previewFraming(ctx, link.tenantId),
    });
  const ticket = writePreviewTicket(ctx, { ...link, returnUrl: back });
  const origin = contentOrigin(ctx, { use: 'preview', ...link });
  return redirectToPlayer(origin, ticket, await previewFraming(ctx, link.tenantId));
}
