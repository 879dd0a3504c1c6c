import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { forTenant } from '../../../db/owners.ts';
import { type RouteResponse, route } from '../../../http/routes.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { enterPlayer } from '../../../infra/load/limits.ts';
import { Problem } from '../../../lib/errors.ts';
import { type EnrolmentHandle, launchUrl, readLaunchKey } from '../../enrolments/record/record.ts';
import { explain, type LaunchDecision } from '../../enrolments/run-time/start.ts';
import { startUrl } from '../../sign-in/providers/flow.ts';
import { isProven } from '../../sign-in/providers/launch-sign-in.ts';
import { framedPage } from '../../sign-in/providers/pages.ts';
import { knownTenant } from '../../tenants/tenants.ts';
import { contentOrigin } from './content-origins.ts';
import { frameAncestors } from './framing.ts';
import { type Language, languageOf, textsIn } from './page-texts.ts';
import { refusalText } from './refusals.ts';
import { forOpeners, type Link, redirectToPlayer, rejectionPage } from './rejection-page.ts';
import { isAllowedReturn, parametersBeforeReturn, readReturnUrl, unescapeLink } from './return-url.ts';
import { writeReviewTicket } from './review-tokens.ts';
import { playerOf, writeTicket } from './tokens.ts';

type Click = {
  language: Language;
  handle: EnrolmentHandle;
  /** The requested return URL. */
  requested: string | null;
  wantsReview: boolean;
  /** Proof that the learner has just signed in. */
  proof: string | null;
  request: FastifyRequest;
};
type Page = { language: Language; back: string | null; framing: string };

function brokenLink(page: Page): RouteResponse {
  return rejectionPage({ status: 404, ...textsIn(page.language).pages.brokenLink, ...page });
}

/** The link on the rejection page. It opens the latest attempt for review or starts the course. */
function linkTo(
  ctx: TenantContext,
  what: 'review' | 'start',
  { language, back, handle }: Page & { handle: EnrolmentHandle },
): Link {
  const query = new URLSearchParams({
    ...Object.fromEntries(new URL(launchUrl(ctx, handle)).searchParams),
    ...(what === 'review' && { review: 'true' }),
    ...(back !== null && { returnURL: back }),
  });
  return { text: textsIn(language)[what], address: `?${query}` };
}

function refused(page: Page & { link: Link | null }, decision: LaunchDecision): RouteResponse {
  return rejectionPage({ status: 403, ...refusalText(page.language, decision), ...page });
}

async function click(
  ctx: TenantContext,
  { language, handle, requested, wantsReview, proof, request }: Click,
): Promise<RouteResponse> {
  const tenant = await knownTenant.get(ctx, handle.tenantId);
  if (!tenant) return brokenLink({ language, back: null, framing: "'none'" });
  const back = requested !== null && isAllowedReturn(requested, tenant.ReturnOrigins) ? requested : null;
  const page = { language, back, framing: frameAncestors(tenant), handle };
  if (tenant.Status === 'suspended')
    return rejectionPage({ status: 403, ...textsIn(language).pages.suspended, ...page });
  const decision = await explain(ctx, { enrollId: handle.enrollId }).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'enrolment_not_found') return null;
    throw error;
  });
  if (!decision) return brokenLink(page);
  const { CourseID: courseId, mayReview } = decision;
  const origin = contentOrigin(ctx, { use: 'launch', tenantId: handle.tenantId, courseId });
  const ticket = { ...handle, returnUrl: back, courseId };
  // A learner who requests a review does not want to use up an attempt.
  if (decision.MayLaunch && wantsReview)
    return refused({ ...page, link: linkTo(ctx, 'start', page) }, decision);
  const opens = decision.MayLaunch || (mayReview && wantsReview);
  const needsSignIn = tenant.RequireSignIn || decision.requiresSignIn;
  if (opens && needsSignIn && !isProven(ctx, handle, proof))
    return signIn(ctx, request, { page, what: wantsReview ? 'review' : 'start' });
  if (decision.MayLaunch) return redirectToPlayer(origin, writeTicket(ctx, ticket), page.framing);
  if (mayReview && wantsReview) return redirectToPlayer(origin, writeReviewTicket(ctx, ticket), page.framing);
  return refused({ ...page, link: mayReview ? linkTo(ctx, 'review', page) : null }, decision);
}

/** Providers refuse to be shown in frames. */
const isFramed = ({ headers }: FastifyRequest) =>
  ['iframe', 'frame', 'embed', 'object'].includes(String(headers['sec-fetch-dest']));

async function signIn(
  ctx: TenantContext,
  request: FastifyRequest,
  { page, what }: { page: Page & { handle: EnrolmentHandle }; what: 'review' | 'start' },
): Promise<RouteResponse> {
  const target = `/launch${linkTo(ctx, what, page).address}`;
  const address = startUrl(ctx, { target });
  if (isFramed(request))
    return framedPage(ctx, request, { tenantId: ctx.tenantId, startUrl: address, framing: page.framing });
  return { status: 303, headers: { Location: address, 'Cache-Control': 'no-store', ...forOpeners } };
}

/** Mail programs and people change the case of a path. */
export function rewriteLaunch(url: string): string {
  return url.replace(/^\/launch\/?(?=\?|$)/i, '/launch');
}

/**
 * Handles a click on a LaunchURL. It writes nothing, so mail scanners that follow the link do no
 * harm.
 */
export const launchRoute = route({
  method: 'GET',
  path: '/launch',
  name: 'launch',
  summary: 'Start a course (the LaunchURL of an enrolment)',
  description:
    'The link that the learner opens. It can be opened any number of times. Each time, the rules that `explain` reports are evaluated.',
  tag: 'Launch',
  access: 'anyone',
  scope: null,
  page: true,
  // Untyped, because a raw returnURL may contain parameters with the same names. The link must
  // still work.
  query: Type.Object(
    {
      enrolment: Type.Optional(Type.Unsafe<unknown>({ description: 'Part of the LaunchURL.' })),
      key: Type.Optional(Type.Unsafe<unknown>({ description: 'Part of the LaunchURL.' })),
      review: Type.Optional(
        Type.Unsafe<unknown>({
          description:
            'true opens the latest attempt for review if no new one can start and the rules for attempts permit it (`Review`). It never starts an attempt.',
        }),
      ),
      signedIn: Type.Optional(
        Type.Unsafe<unknown>({ description: 'Added by the service after a sign-in that it required.' }),
      ),
      returnURL: Type.Optional(
        Type.Unsafe<unknown>({
          description:
            'Where to send the learner afterwards: an http(s) URL, percent-encoded, or raw as the last parameter with its own ? and &.',
        }),
      ),
    },
    { additionalProperties: true },
  ),
  responses: {
    200: {
      description: 'A page in a frame from which the learner signs in, if a sign-in is required.',
      type: 'text/html',
    },
    303: {
      description: 'Redirects to the player on the content origin, or to the sign-in if one is required.',
    },
    403: { description: 'A page that tells the learner why the course cannot be opened.', type: 'text/html' },
    404: { description: 'A page that says that the launch link is not valid.', type: 'text/html' },
  },
  handle: async (ctx, { request }) => {
    const address = unescapeLink(request.raw.url ?? '');
    const own = new URLSearchParams(address.slice(address.indexOf('?') + 1));
    const handle = readLaunchKey(ctx, own.get('enrolment') ?? '', own.get('key') ?? '');
    if (handle) enterPlayer(ctx, request, playerOf(handle), 'page');
    const language = languageOf(request);
    if (!handle) return brokenLink({ language, back: null, framing: "'none'" });
    const wantsReview = parametersBeforeReturn(address).get('review') === 'true';
    const proof = parametersBeforeReturn(address).get('signedIn');
    const requested = readReturnUrl(address);
    const clicked = { language, handle, requested, wantsReview, proof, request };
    return click(forTenant(ctx, handle.tenantId), clicked);
  },
});
