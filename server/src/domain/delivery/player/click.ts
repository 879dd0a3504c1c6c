import type { FastifyRequest } from 'fastify';
import type { RouteResponse } from '../../../http/routes.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { Problem } from '../../../lib/errors.ts';
import { type EnrolmentHandle, launchUrl } from '../../enrolments/record/record.ts';
import { explain, type LaunchDecision } from '../../enrolments/run-time/start.ts';
import { startUrl } from '../../sign-in/providers/flow.ts';
import { isProven } from '../../sign-in/providers/launch-sign-in.ts';
import { framedPage } from '../../sign-in/providers/pages.ts';
import { knownTenant } from '../../tenants/tenants.ts';
import { contentOrigin } from './content-origins.ts';
import { frameAncestors } from './framing.ts';
import { type Language, textsIn } from './page-texts.ts';
import { refusalText } from './refusals.ts';
import { forOpeners, type Link, redirectToPlayer, rejectionPage } from './rejection-page.ts';
import { isAllowedReturn } from './return-url.ts';
import { writeReviewTicket } from './review-tokens.ts';
import { writeTicket } from './tokens.ts';

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

export function brokenLink(page: Page): RouteResponse {
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

/** Opens the course of an enrolment, or says why it cannot be opened. */
export async function click(
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
  if (opens && decision.requiresSignIn && !isProven(ctx, handle, proof))
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
