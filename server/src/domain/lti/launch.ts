import type { FastifyRequest } from 'fastify';
import { forTenant, run, transaction } from '../../db/transaction.ts';
import type { RouteResponse } from '../../http/routes.ts';
import { type Form, fieldOf } from '../../http/validation/validation.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { newId, sha256 } from '../../lib/ids.ts';
import { cleanText, isStorable } from '../../lib/unicode.ts';
import { click } from '../delivery/player/click.ts';
import { languageOf } from '../delivery/player/page-texts.ts';
import { enrolInTransaction } from '../enrolments/enrol.ts';
import { writeProof } from '../sign-in/providers/launch-sign-in.ts';
import { knownTenant } from '../tenants/tenants.ts';
import { createUser } from '../users/create-user.ts';
import { findUserId } from '../users/users.ts';
import { noteContext } from './contexts.ts';
import { courseOf } from './course-of-launch.ts';
import { selectionPage } from './deep-link.ts';
import { logLaunch } from './launches.ts';
import { deploymentOf } from './login.ts';
import { replayed } from './nonces.ts';
import { subscribe } from './notices.ts';
import { problemPage, provePage, windowPage } from './pages.ts';
import { type Client, findByDeployment, findClients, onlyPlatform, type PlatformRow } from './platforms.ts';
import { relaunch } from './relaunch.ts';
import { bindingOf, isExpired, launchIdOf, readState, type State } from './state.ts';
import { type Claims, Rejected, verifyLaunch } from './verify.ts';

/** A subject is unique within its issuer. The prefix keeps it apart from LoginIDs that clients choose. */
export function loginIdOf(issuer: string, subject: string): string {
  const name = `lti:${issuer.replace(/^https?:\/\//, '').replace(/\/$/, '')}:${subject}`;
  return name.length <= 255 && isStorable(name) && cleanText(name) === name ? name : `lti:${sha256(name)}`;
}

const named = (value: string | null, length: number): string | undefined => {
  const text = value === null || !isStorable(value) ? '' : cleanText(value).slice(0, length);
  return text === '' ? undefined : text.toWellFormed();
};

/** Names that the platform does not send keep their values: many platforms send none. */
export function detailsOf({
  givenName,
  familyName,
  email,
}: Pick<Claims, 'givenName' | 'familyName' | 'email'>) {
  const FirstName = named(givenName, 255);
  const LastName = named(familyName, 255);
  const Email = named(email, 320);
  return { ...(FirstName && { FirstName }), ...(LastName && { LastName }), ...(Email && { Email }) };
}

const keepLink = `
insert into lti_link (tenant_id, enroll_id, platform_id, resource_link_id, user_id, subject, line_item, launched_at,
  link_id, may_read, context_id)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
on conflict (tenant_id, enroll_id, platform_id, resource_link_id) do update
set user_id = excluded.user_id, subject = excluded.subject, line_item = excluded.line_item,
  launched_at = excluded.launched_at, may_read = excluded.may_read, context_id = excluded.context_id`;

type Place = { platform: PlatformRow; claims: Claims };

/** Makes or finds the user and the enrolment, and records where their results go; all of it or nothing. */
async function enrolLearner(
  ctx: TenantContext,
  { platform, claims, launchId }: Place & { launchId: string },
): Promise<string> {
  const { subject, resourceLinkId } = claims;
  if (subject === null) throw new Rejected('no_user', 'The launch is anonymous: sub is missing.');
  const course = await courseOf(ctx, platform.platform_id, claims);
  const loginId = loginIdOf(platform.issuer, subject);
  const details = detailsOf(claims);
  const known = await relaunch(ctx, {
    ...{ launchId, platformId: platform.platform_id, deploymentId: claims.deploymentId, resourceLinkId },
    ...{ subject, loginId, courseId: course.courseId, durationId: course.durationId ?? null },
    ...{ firstName: details.FirstName ?? null, lastName: details.LastName ?? null },
    ...{ email: details.Email ?? null, lineItem: claims.lineItem, mayRead: claims.mayRead },
  });
  if (!known.isNew) throw replayed();
  if (known.enrollId !== null) return known.enrollId;
  return transaction(ctx, async (ctx) => {
    await createUser(ctx, { LoginID: loginId, ...details, IfExists: 'update' });
    const [enrolled] = await enrolInTransaction(ctx, [{ loginId, ...course, IfEnrolled: 'return' }]);
    const enrollId = enrolled?.enrolment.EnrollID ?? '';
    const userId = await findUserId(ctx, loginId);
    await run(ctx, keepLink, [
      ...[ctx.tenantId, enrollId, platform.platform_id, resourceLinkId, userId, subject],
      ...[claims.lineItem, ctx.now(), newId(ctx.now()), claims.mayRead],
      claims.context?.id ?? null,
    ]);
    await logLaunch(ctx, {
      launchId,
      platformId: platform.platform_id,
      deploymentId: claims.deploymentId,
      message: 'launch',
      courseId: course.courseId,
      userId,
      enrollId,
      resourceLinkId,
    });
    return enrollId;
  }).catch((error: unknown) => {
    if (!(error instanceof Problem) || error.status >= 500) throw error;
    throw new Rejected('not_enrolled', `${course.courseId}: ${error.message}`);
  });
}

/** The tenant of a launch whose token is valid. */
async function placeOf(ctx: Context, client: Client, claims: Claims): Promise<PlatformRow> {
  const platform = await findByDeployment(ctx, client, claims.deploymentId);
  if (!platform)
    throw new Rejected('unknown_deployment', `The deployment ${claims.deploymentId} is not registered.`);
  return platform;
}

type Attempt = { client: Client; state: State; platform: PlatformRow | null; claims: Claims | null };

/** The platform whose log shows a rejected launch. If tenants share the client, the login may name the deployment. */
async function platformOf(ctx: Context, { client, state, platform }: Attempt): Promise<PlatformRow | null> {
  const named = deploymentOf(Object.fromEntries(new URLSearchParams(state.login)));
  const found = platform ?? (named === '' ? null : await findByDeployment(ctx, client, named));
  return found ?? onlyPlatform(ctx, client);
}

/** Logs a rejected launch, and says what to do. */
async function reject(
  ctx: Context,
  request: FastifyRequest,
  rejected: Rejected,
  attempt: Attempt,
): Promise<RouteResponse> {
  const { client, claims } = attempt;
  const platform = await platformOf(ctx, attempt);
  const { problem, message: detail } = rejected;
  ctx.log.warn(
    { issuer: client.issuer, client: client.client_id, problem, detail },
    'an LTI launch was rejected',
  );
  if (platform)
    await logLaunch(forTenant(ctx, platform.tenant_id), {
      platformId: platform.platform_id,
      deploymentId: claims?.deploymentId ?? null,
      message: claims?.message ?? 'unknown',
      resourceLinkId: claims?.resourceLinkId ?? null,
      problem,
      detail,
    });
  return problemPage(request, problem);
}

/** What the platform's answer to a login leads to: the course, the choice of courses, or a page that says what to do. */
export async function receiveLaunch(
  ctx: Context,
  request: FastifyRequest,
  form: Form,
): Promise<RouteResponse> {
  const token = fieldOf(form, 'state');
  const state = readState(ctx, token);
  if (!state) return problemPage(request, 'state_missing');
  const { issuer, clientId } = state;
  const [client] = await findClients(ctx, { issuer, clientId, deploymentId: null });
  if (!client) return problemPage(request, 'unknown_platform');
  const attempt: Attempt = { client, state, platform: null, claims: null };
  try {
    if (isExpired(ctx, state)) throw new Rejected('state_expired', 'The login is older than ten minutes.');
    if (fieldOf(form, 'error') !== '')
      throw new Rejected('platform_error', `${fieldOf(form, 'error')} ${fieldOf(form, 'error_description')}`);
    const binding = bindingOf(ctx, request, state, fieldOf(form, 'proof'));
    if (binding === 'other') throw new Rejected('other_browser', 'The state belongs to another browser.');
    if (binding === 'none') {
      const idToken = fieldOf(form, 'id_token');
      const origin = new URL(client.auth_url).origin;
      if (state.storage && fieldOf(form, 'tried') !== 'true')
        return provePage(ctx, request, { state, origin, token, idToken });
      if (!state.isWindow) return windowPage(ctx, request, state.login);
      throw new Rejected('cookie_blocked', 'The browser sent no cookie, also in a window of its own.');
    }
    const claims = await verifyLaunch(ctx, client, state, fieldOf(form, 'id_token'));
    attempt.claims = claims;
    const platform = await placeOf(ctx, client, claims);
    attempt.platform = platform;
    const own = forTenant(ctx, platform.tenant_id);
    const tenant = await knownTenant.get(ctx, own.tenantId);
    if (!tenant || tenant.Status === 'suspended') throw new Rejected('suspended', 'The tenant is suspended.');
    await noteContext(own, platform.platform_id, claims.context);
    subscribe(own, platform.platform_id, claims.noticesUrl);
    if (claims.message === 'deep_link') {
      await logLaunch(own, {
        launchId: launchIdOf(state),
        platformId: platform.platform_id,
        deploymentId: claims.deploymentId,
        message: 'deep_link',
      });
      return await selectionPage(own, request, { platform, claims });
    }
    const enrollId = await enrolLearner(own, { platform, claims, launchId: launchIdOf(state) });
    const handle = { tenantId: own.tenantId, enrollId };
    return await click(own, {
      language: languageOf(request),
      handle,
      requested: claims.returnUrl,
      wantsReview: false,
      part: null,
      proof: writeProof(ctx, handle),
      request,
    });
  } catch (error) {
    if (error instanceof Rejected) return reject(ctx, request, error, attempt);
    throw error;
  }
}
