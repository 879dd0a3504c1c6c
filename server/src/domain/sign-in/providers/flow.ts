import type { FastifyRequest } from 'fastify';
import { forTenant, run, transaction } from '../../../db/transaction.ts';
import { path, type RouteResponse } from '../../../http/routes.ts';
import type { Context, TenantContext } from '../../../infra/context/context.ts';
import { decrypt, encrypt } from '../../../infra/keys/key-ring.ts';
import { appendAudit } from '../../audit/chain.ts';
import { findTenantByName } from '../../tenants/tenants.ts';
import { newToken } from '../../tenants/token.ts';
import { browserOf, cookieOf, newSessionTimes, stateCookie, stateOf } from '../cookie.ts';
import { consolePath } from '../schemas.ts';
import { auditFailure, personActor } from '../sign-in-audit.ts';
import { openUserSession } from '../user-sessions.ts';
import { type Identified, identify } from './identities.ts';
import { isLaunch, isOfLaunch, launchProviders, withProof } from './launch-sign-in.ts';
import {
  authorizationUrl,
  type Checks,
  type Claims,
  causeOf,
  endSessionUrl,
  exchangeCode,
  explainFailure,
  newChecks,
} from './oidc.ts';
import { choicePage, failurePage, windowPage } from './pages.ts';
import { enabledProviders, findProvider, type Provider } from './providers.ts';

/** How long a person may take to sign in at the provider. */
const stateMinutes = 15;

type State = Checks & {
  tenantId: string;
  providerId: string;
  /** The page that was requested. */
  target: string;
  /** The sign-in runs in a window of its own, which a framed launch opened. */
  isWindow: boolean;
  at: number;
};

export type Start = {
  tenant: string;
  providerId: string | undefined;
  email: string | undefined;
  target: string;
  isWindow: boolean;
  /** Whether the provider asks who signs in, even if somebody is signed in there. */
  asksAgain: boolean;
};

/** Home-realm discovery: the provider whose domains include that of the address. */
export function providerOfEmail(providers: readonly Provider[], email: string): Provider | null {
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  const fits = ({ options }: Provider) => options.Domains.some((one) => one.toLowerCase() === domain);
  return providers.find(fits) ?? null;
}

async function choose(ctx: TenantContext, start: Start): Promise<Provider[]> {
  const providers = await enabledProviders(ctx, ctx.tenantId);
  const { providerId, email } = start;
  if (providerId !== undefined) return providers.filter(({ provider_id }) => provider_id === providerId);
  const home = email === undefined ? null : providerOfEmail(providers, email);
  if (home) return [home];
  return providers.length > 1 && isLaunch(start.target)
    ? launchProviders(ctx, start.target, providers, providerOfEmail)
    : providers;
}

/** Sends the browser to a provider, or shows a choice of providers. */
export async function startSignIn(
  ctx: Context,
  request: FastifyRequest,
  start: Start,
): Promise<RouteResponse> {
  const tenant = await findTenantByName(ctx, start.tenant);
  if (!tenant) return failurePage(ctx, request, null, 'noProvider');
  const own = forTenant(ctx, tenant.tenant_id);
  if (tenant.status === 'suspended') return failurePage(ctx, request, own.tenantId, 'suspended');
  const providers = await choose(own, start);
  const [provider] = providers;
  if (!provider) return failurePage(ctx, request, own.tenantId, 'noProvider');
  if (providers.length > 1) {
    const links = providers.map(({ name, provider_id }) => ({
      name,
      href: startUrl(own, { ...start, providerId: provider_id }),
    }));
    return choicePage(ctx, request, own.tenantId, links);
  }
  const checks = newChecks();
  const { target, isWindow } = start;
  const { tenantId } = own;
  const state: State = {
    ...checks,
    tenantId,
    providerId: provider.provider_id,
    target,
    isWindow,
    at: ctx.now().getTime(),
  };
  try {
    const Location = await authorizationUrl(ctx, provider, checks, start);
    const sealed = encrypt(ctx.keys, about(checks.state), JSON.stringify(state));
    return redirect(Location, stateCookie(ctx, checks.state, sealed, stateMinutes * 60));
  } catch (error) {
    logFailure(ctx, provider, error);
    return failurePage(ctx, request, own.tenantId, 'providerDown', start.target);
  }
}

/** Opener and window must stay connected, so that a framed launch hears from the window that it opened. */
const forOpeners = { 'Cross-Origin-Opener-Policy': 'unsafe-none', 'Cache-Control': 'no-store' };

const redirect = (Location: string, cookie: string): RouteResponse => ({
  status: 303,
  headers: { Location, 'Set-Cookie': cookie, ...forOpeners },
});

export function startUrl(
  ctx: TenantContext,
  { providerId, target, isWindow, asksAgain }: Partial<Start> & { target: string },
) {
  const query = new URLSearchParams({
    ...(providerId !== undefined && { ProviderID: providerId }),
    ReturnPath: target,
    ...(isWindow && { Window: 'true' }),
    ...(asksAgain && { AsAnother: 'true' }),
  });
  return `${ctx.config.baseUrl}${path`/sso/${ctx.tenantId}/start`}?${query}`;
}

const about = (state: string) => ({ purpose: 'sign-in-state', place: state }) as const;

/** What this browser started; null if it started nothing, or too long ago. */
function readState(
  ctx: Context,
  request: FastifyRequest,
  { tenantId, providerId }: { tenantId: string; providerId: string },
): State | null {
  const given = (request.query as { state?: unknown }).state;
  const sealed = typeof given === 'string' ? stateOf(ctx, given, request.headers.cookie) : undefined;
  if (typeof given !== 'string' || sealed === undefined) return null;
  try {
    const state = JSON.parse(decrypt(ctx.keys, about(given), sealed)) as State;
    const isFresh = ctx.now().getTime() - state.at < stateMinutes * 60_000;
    const isOwn = state.state === given && state.tenantId === tenantId && state.providerId === providerId;
    return isFresh && isOwn ? state : null;
  } catch {
    return null;
  }
}

function logFailure(ctx: Context, provider: Provider, error: unknown): void {
  ctx.log.warn(
    { tenant: provider.tenant_id, provider: provider.provider_id, detail: explainFailure(error) },
    'a sign-in at an identity provider failed',
  );
}

/** Handles the browser's return from the provider. */
export async function finishSignIn(
  ctx: Context,
  request: FastifyRequest,
  input: { tenantId: string; providerId: string },
): Promise<RouteResponse> {
  const { tenantId } = input;
  const own = forTenant(ctx, tenantId);
  const state = readState(ctx, request, input);
  if (!state) return failurePage(ctx, request, tenantId, 'expired');
  const fail = async (
    kind: Parameters<typeof failurePage>[3],
    found: Identified | null = null,
    cause = causes[kind] ?? kind,
  ) => {
    await auditFailure(own, {
      tenantId,
      method: 'provider',
      named: found?.account ?? null,
      cause: `${input.providerId}: ${cause}`,
    });
    const { providerId } = input;
    const target =
      kind === 'otherPerson'
        ? startUrl(own, { providerId, target: state.target, isWindow: state.isWindow, asksAgain: true })
        : state.target;
    const page = await failurePage(ctx, request, tenantId, kind, target);
    return { ...page, headers: { ...page.headers, 'Set-Cookie': stateCookie(ctx, state.state, '', 0) } };
  };
  const tenant = await findTenantByName(ctx, tenantId);
  const provider = await findProvider(own, input);
  if (!tenant?.exact || !provider?.is_enabled) return failurePage(ctx, request, null, 'noProvider');
  if (tenant.status === 'suspended') return failurePage(ctx, request, tenantId, 'suspended');
  const query = new URL(request.raw.url ?? '', 'http://unused').search.slice(1);
  let claims: Claims;
  try {
    claims = await exchangeCode(ctx, provider, state, query);
  } catch (error) {
    logFailure(ctx, provider, error);
    const isDenied = (request.query as { error?: unknown }).error === 'access_denied';
    return fail(isDenied ? 'denied' : 'rejected', null, causeOf(error));
  }
  const done = await transaction(own, (ctx) => complete(ctx, request, { provider, claims, state }));
  if (done.found.refusal !== null) return fail(done.found.refusal, done.found);
  if (!done.location) return fail('otherPerson', done.found);
  const clear = stateCookie(ctx, state.state, '', 0);
  if (state.isWindow) return windowPage(ctx, request, tenantId, done.location, clear);
  const response = redirect(done.location, clear);
  if (done.token === null) return response;
  const cookies = [clear, cookieOf(ctx, done.token)['Set-Cookie']];
  return { ...response, headers: { ...response.headers, 'Set-Cookie': cookies as unknown as string } };
}

/** Why a sign-in failed, as the audit trail says it. */
const causes: Partial<Record<Parameters<typeof failurePage>[3], string>> = {
  unknown: 'No user belongs to the account, and CreateUsers is false.',
  disabled: 'The user is disabled.',
  linkedElsewhere:
    'The user with these details is linked to another account, or was not created by this provider.',
  unverified: 'The provider does not report the email address as verified, or it is in another domain.',
  unusable: 'The claim in LoginIDClaim is missing or cannot be a LoginID.',
  otherPerson: 'The launch link belongs to another user.',
};

type Completion = { provider: Provider; claims: Claims; state: State };
type Completed = { found: Identified; location: string | null; token: string | null };

const open = `
with used as (
  select known.user_id, $7::text[] as scopes, 'provider'::text as second_factor, $8::text as provider_id from "user" known
  where known.tenant_id = $1 and known.user_id = $2 and known.enabled
  for share of known
), ${openUserSession}
select used.* from used`;

/** Opens a session, or a launch: its proof of who signed in is all that a launch needs. */
async function complete(
  ctx: TenantContext,
  request: FastifyRequest,
  { provider, claims, state }: Completion,
): Promise<Completed> {
  const found = await identify(ctx, provider, claims);
  if (found.refusal !== null) return { found, location: null, token: null };
  const { user_id: userId, is_admin: isAdmin } = found.account;
  const { token, hash } = newToken(ctx.tenantId);
  const launches = isLaunch(state.target);
  if (launches && !(await isOfLaunch(ctx, state.target, userId)))
    return { found, location: null, token: null };
  if (!launches) {
    const times = newSessionTimes(ctx);
    const values = [
      ...[ctx.tenantId, userId, ...times, hash, browserOf(request).userAgent],
      ...[provider.scopes, provider.provider_id],
    ];
    await run(ctx, open, values);
  }
  await appendAudit(ctx, ctx.tenantId, {
    action: 'sign_in.succeeded',
    targetId: userId,
    data: { Method: 'provider' },
    actor: personActor(ctx, { hash, userId, isAdmin }),
  });
  return {
    found,
    location: launches ? withProof(ctx, state.target) : state.target,
    token: launches ? null : token,
  };
}

/** Sends the browser to the provider's own sign-out, and back to the sign-in page. */
export async function signOutAtProvider(
  ctx: Context,
  request: FastifyRequest,
  input: { tenantId: string; providerId: string },
): Promise<RouteResponse> {
  const back = ctx.config.baseUrl + consolePath;
  const provider = await findProvider(forTenant(ctx, input.tenantId), input);
  if (!provider?.is_enabled) return failurePage(ctx, request, null, 'noProvider');
  const Location = await endSessionUrl(ctx, provider, back).catch((error: unknown) => {
    logFailure(ctx, provider, error);
    return null;
  });
  return { status: 303, headers: { Location: Location ?? back, 'Cache-Control': 'no-store' } };
}
