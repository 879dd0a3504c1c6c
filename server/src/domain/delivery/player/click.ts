import type { FastifyRequest } from 'fastify';
import type { RouteResponse } from '../../../http/routes.ts';
import type { TenantContext } from '../../../infra/context/context.ts';
import { Problem } from '../../../lib/errors.ts';
import { type EnrolmentHandle, launchUrl } from '../../enrolments/record/record.ts';
import { explain, type LaunchDecision } from '../../enrolments/run-time/start.ts';
import { readParts } from '../../paths/explain-parts.ts';
import { followPath } from '../../paths/follow.ts';
import { openPart } from '../../paths/open-part.ts';
import { startUrl } from '../../sign-in/providers/flow.ts';
import { isProven } from '../../sign-in/providers/launch-sign-in.ts';
import { framedPage } from '../../sign-in/providers/pages.ts';
import { knownTenant } from '../../tenants/tenants.ts';
import { timeZoneOf } from '../../tenants/time-zone.ts';
import { contentOrigin } from './content-origins.ts';
import { frameAncestors } from './framing.ts';
import { type Language, textsIn } from './page-texts.ts';
import { pathPage } from './path-page.ts';
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
  /** The CourseID of the course of a path to open. */
  part: string | null;
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
  { language, back, handle, part = null }: Page & { handle: EnrolmentHandle; part?: string | null },
): Link {
  const query = new URLSearchParams({
    ...Object.fromEntries(new URL(launchUrl(ctx, handle)).searchParams),
    ...(what === 'review' && { review: 'true' }),
    ...(part !== null && { part }),
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
  { language, handle, requested, wantsReview, part, proof, request }: Click,
): Promise<RouteResponse> {
  const tenant = await knownTenant.get(ctx, handle.tenantId);
  if (!tenant) return brokenLink({ language, back: null, framing: "'none'" });
  const back = requested !== null && isAllowedReturn(requested, tenant.ReturnOrigins) ? requested : null;
  const page = { language, back, framing: frameAncestors(tenant), handle, part };
  if (tenant.Status === 'suspended')
    return rejectionPage({ status: 403, ...textsIn(language).pages.suspended, ...page });
  const decision = await decide(ctx, handle);
  if (!decision) return brokenLink(page);
  const { CourseID: courseId, mayReview } = decision;
  const origin = contentOrigin(ctx, { use: 'launch', tenantId: handle.tenantId, courseId });
  const ticket = { ...handle, returnUrl: back, courseId };
  // A learner who requests a review does not want to use up an attempt.
  if (decision.MayLaunch && wantsReview)
    return refused({ ...page, link: linkTo(ctx, 'start', page) }, decision);
  const opens = decision.MayLaunch || (mayReview && wantsReview);
  const isSignedIn = isProven(ctx, handle, proof);
  if (opens && decision.requiresSignIn && !isSignedIn)
    return signIn(ctx, request, { page, what: wantsReview ? 'review' : 'start' });
  if (decision.MayLaunch && decision.isPath) return openPath(ctx, { ...page, isSignedIn }, request);
  if (decision.MayLaunch) return redirectToPlayer(origin, writeTicket(ctx, ticket), page.framing);
  if (mayReview && wantsReview) return redirectToPlayer(origin, writeReviewTicket(ctx, ticket), page.framing);
  return refused({ ...page, link: mayReview ? linkTo(ctx, 'review', page) : null }, decision);
}

/** The launch decision. The end of a path applies to its parts immediately. */
async function decide(ctx: TenantContext, { enrollId }: EnrolmentHandle): Promise<LaunchDecision | null> {
  try {
    const decision = await explain(ctx, { enrollId });
    const isOfPath = decision.isPath || decision.pathEnrollId !== null;
    return isOfPath && (await followPath(ctx, enrollId)) ? await explain(ctx, { enrollId }) : decision;
  } catch (error) {
    if (error instanceof Problem && error.code === 'enrolment_not_found') return null;
    throw error;
  }
}

type PathClick = Page & { handle: EnrolmentHandle; part: string | null };

/** Shows the page of a path, or opens one of its courses, from which the learner returns to that page. */
async function openPath(
  ctx: TenantContext,
  page: PathClick & { isSignedIn: boolean },
  request: FastifyRequest,
): Promise<RouteResponse> {
  const { handle, part, back } = page;
  const { enrollId } = handle;
  const own = `${ctx.config.baseUrl}/launch${linkTo(ctx, 'start', { ...page, part: null }).address}`;
  const opened =
    part === null
      ? null
      : await openPart(ctx, {
          ...{ enrollId, courseId: part, returnUrl: back },
          userAgent: request.headers['user-agent'] ?? null,
        });
  if (opened === null) {
    const shown = await readParts(ctx, { enrollId });
    const isRefused = shown.shown.some(({ CourseID, Status }) => CourseID === part && Status === 'closed');
    const linkToPart = (courseId: string) =>
      `/launch${linkTo(ctx, 'start', { ...page, part: courseId }).address}`;
    const timeZone = await timeZoneOf(ctx);
    return pathPage(shown, { ...page, linkTo: linkToPart, isRefused, timeZone });
  }
  const inner = { tenantId: handle.tenantId, enrollId: opened };
  const decision = await explain(ctx, inner);
  const { CourseID: courseId } = decision;
  const there = { ...page, handle: inner, part: null, back: own };
  if (!decision.MayLaunch)
    return refused({ ...there, link: decision.mayReview ? linkTo(ctx, 'review', there) : null }, decision);
  // The parts belong to the same learner as the path, so one sign-in is enough.
  if (decision.requiresSignIn && !page.isSignedIn) return signIn(ctx, request, { page, what: 'start' });
  if (decision.isPath) return openPath(ctx, there, request);
  const origin = contentOrigin(ctx, { use: 'launch', tenantId: handle.tenantId, courseId });
  return redirectToPlayer(origin, writeTicket(ctx, { ...inner, returnUrl: own, courseId }), page.framing);
}

export const isFramed = ({ headers }: FastifyRequest) =>
  ['iframe', 'frame', 'embed', 'object'].includes(String(headers['sec-fetch-dest']));

async function signIn(
  ctx: TenantContext,
  request: FastifyRequest,
  { page, what }: { page: PathClick; what: 'review' | 'start' },
): Promise<RouteResponse> {
  const target = `/launch${linkTo(ctx, what, page).address}`;
  const address = startUrl(ctx, { target });
  // Providers refuse to be shown in frames.
  if (isFramed(request))
    return framedPage(ctx, request, { tenantId: ctx.tenantId, startUrl: address, framing: page.framing });
  return { status: 303, headers: { Location: address, 'Cache-Control': 'no-store', ...forOpeners } };
}
