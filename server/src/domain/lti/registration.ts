import type { FastifyRequest } from 'fastify';
import Type from 'typebox';
import { forTenant } from '../../db/transaction.ts';
import type { RouteResponse } from '../../http/routes.ts';
import { Fields, Instant } from '../../http/validation/schema.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { serviceActor } from '../../infra/context/context.ts';
import { signToken, verifyToken } from '../../infra/keys/key-ring.ts';
import { Problem } from '../../lib/errors.ts';
import { newSecret } from '../../lib/ids.ts';
import { appendAudit } from '../audit/chain.ts';
import { checkUrl } from '../events/webhooks/addresses.ts';
import { checkedFetch } from '../events/webhooks/checked-fetch.ts';
import { knownTenant } from '../tenants/tenants.ts';
import { historyParameter } from './course-of-launch.ts';
import { rejectReplay } from './nonces.ts';
import { registrationPage } from './pages.ts';
import { checkUrls, createPlatform, keysetUrl, toolUrls } from './platforms.ts';
import type { NewPlatform } from './schemas.ts';
import { Rejected } from './verify.ts';

/** Less than nonces are kept, so that a link works once. */
const minutes = 50;

export const RegistrationLink = Fields(
  {
    RegistrationURL: Type.String({
      description:
        'Enter it in the platform as the URL for dynamic registration. Anyone with the link can connect one platform to your tenant.',
    }),
    ExpiresAt: Instant('When it stops working. It works once.'),
  },
  { title: 'PlatformRegistrationLink' },
);

type Token = { tenantId: string; once: string; at: number };

export async function newRegistrationLink(ctx: TenantContext): Promise<Type.Static<typeof RegistrationLink>> {
  const at = ctx.now().getTime();
  const once = newSecret('lti');
  const token = signToken(ctx.keys, 'lti-registration', { tenantId: ctx.tenantId, once, at } satisfies Token);
  await appendAudit(ctx, ctx.tenantId, { action: 'platform.invited', targetId: ctx.tenantId, data: {} });
  return {
    RegistrationURL: `${ctx.config.baseUrl}/lti/register?token=${encodeURIComponent(token)}`,
    ExpiresAt: new Date(at + minutes * 60_000).toISOString(),
  };
}

/** A registration that failed. The message is for the administrator of the platform. */
class Failed extends Error {}

const failed = (message: string) => {
  throw new Failed(message);
};

const specification = 'https://purl.imsglobal.org/spec';
const configurationClaim = `${specification}/lti-tool-configuration`;
const wantedScopes = [
  `${specification}/lti-ags/scope/score`,
  `${specification}/lti-ags/scope/result.readonly`,
  `${specification}/lti-nrps/scope/contextmembership.readonly`,
];
/** Only asked of platforms that list it, because few know it. */
const noticeScope = `${specification}/lti/scope/noticehandlers`;

type Json = Record<string, unknown>;
const textIn = (value: Json, name: string) =>
  typeof value[name] === 'string' ? (value[name] as string) : '';

async function fetchJson(ctx: TenantContext, what: string, url: string, body: Json | null, token: string) {
  await checkUrl(ctx.config, url).catch(() => failed(`${what} has an address that is not allowed: ${url}`));
  const reply = await checkedFetch(ctx.config)(url, {
    method: body === null ? 'GET' : 'POST',
    headers: {
      accept: 'application/json',
      ...(body !== null && { 'content-type': 'application/json' }),
      ...(token !== '' && { authorization: `Bearer ${token}` }),
    },
    ...(body !== null && { body: JSON.stringify(body) }),
  }).catch((error: Error) => failed(`${what} could not be reached: ${error.message}`));
  const text = await reply.text();
  const json = (() => {
    try {
      return Object(JSON.parse(text)) as Json;
    } catch {
      return {};
    }
  })();
  if (reply.status < 200 || reply.status > 299)
    return failed(
      `${what} responded with status ${reply.status}. ${textIn(json, 'error_description') || textIn(json, 'error')}`,
    );
  return json;
}

/** What the platform is told about this service (LTI Dynamic Registration 1.0, 3.5). */
function toolConfiguration(ctx: TenantContext, name: string, supported: unknown) {
  const { login, launch } = toolUrls(ctx);
  const scopes = Array.isArray(supported)
    ? [...wantedScopes, noticeScope].filter((one) => supported.includes(one))
    : wantedScopes;
  return {
    application_type: 'web',
    client_name: name,
    response_types: ['id_token'],
    grant_types: ['implicit', 'client_credentials'],
    initiate_login_uri: login,
    redirect_uris: [launch],
    jwks_uri: keysetUrl(ctx),
    token_endpoint_auth_method: 'private_key_jwt',
    scope: scopes.join(' '),
    [configurationClaim]: {
      domain: new URL(ctx.config.baseUrl).host,
      target_link_uri: launch,
      custom_parameters: { [historyParameter]: '$ResourceLink.id.history' },
      claims: ['iss', 'sub', 'name', 'given_name', 'family_name', 'email'],
      messages: [
        { type: 'LtiResourceLinkRequest', target_link_uri: launch },
        { type: 'LtiDeepLinkingRequest', target_link_uri: launch, label: name },
      ],
    },
  };
}

function platformOf(configuration: Json, registered: Json, url: URL): NewPlatform {
  const Issuer = textIn(configuration, 'issuer');
  if (!URL.canParse(Issuer) || new URL(Issuer).host !== url.host)
    return failed(`The issuer “${Issuer}” is not on the host of its configuration, ${url.host}.`);
  const ClientID = textIn(registered, 'client_id') || failed('The platform did not send a client ID.');
  const { deployment_id: deployment } = Object(registered[configurationClaim]) as Json;
  if ((typeof deployment !== 'string' && typeof deployment !== 'number') || deployment === '')
    return failed(
      `The platform did not say which deployment it is. Add it by hand with the client ID ${ClientID}.`,
    );
  const { host } = url;
  const product = textIn(
    Object(configuration[`${specification}/lti-platform-configuration`]) as Json,
    'product_family_code',
  );
  return {
    Name: `${product === '' ? 'LTI' : product.slice(0, 40)} ${host}`.slice(0, 100),
    Issuer,
    ClientID,
    DeploymentIDs: [String(deployment)],
    AuthURL: textIn(configuration, 'authorization_endpoint'),
    TokenURL: textIn(configuration, 'token_endpoint'),
    JWKSURL: textIn(configuration, 'jwks_uri'),
  };
}

async function register(ctx: TenantContext, query: Record<string, string | undefined>): Promise<NewPlatform> {
  const { openid_configuration: address = '', registration_token: bearer = '' } = query;
  if (!URL.canParse(address)) return failed('The platform did not say where its configuration is.');
  const url = new URL(address);
  const configuration = await fetchJson(ctx, 'The configuration of the platform', url.href, null, bearer);
  const endpoint = textIn(configuration, 'registration_endpoint');
  const tool = toolConfiguration(ctx, 'Lectern', configuration.scopes_supported);
  const unknown = { client_id: 'unknown', [configurationClaim]: { deployment_id: 'unknown' } };
  const draft = platformOf(configuration, unknown, url);
  for (const name of ['AuthURL', 'TokenURL', 'JWKSURL'] as const)
    if (!/^https?:/.test(draft[name])) return failed(`The configuration of the platform has no ${name}.`);
  const registered = await fetchJson(ctx, 'The registration of the platform', endpoint, tool, bearer);
  const platform = platformOf(configuration, registered, url);
  await checkUrls(ctx, platform, null);
  await createPlatform({ ...ctx, actor: serviceActor }, platform);
  return platform;
}

/** Registers the platform whose administrator has opened the link, and closes the page there. */
export async function registerPlatform(
  ctx: Context,
  request: FastifyRequest,
  query: Record<string, string | undefined>,
): Promise<RouteResponse> {
  // The cast is safe, because only we can sign one.
  const token = verifyToken(ctx.keys, 'lti-registration', query.token ?? '') as Token | null;
  const isExpired = !token || ctx.now().getTime() - token.at > minutes * 60_000;
  if (isExpired) return registrationPage(request, { isDone: false, detail: 'link' });
  const own = forTenant(ctx, token.tenantId);
  const tenant = await knownTenant.get(ctx, own.tenantId);
  try {
    if (!tenant || tenant.Status === 'suspended') return failed('The tenant is suspended.');
    await rejectReplay(own, token.once);
    const { Name } = await register(own, query);
    return registrationPage(request, { isDone: true, detail: Name });
  } catch (error) {
    if (error instanceof Rejected) return registrationPage(request, { isDone: false, detail: 'link' });
    const isKnown = error instanceof Failed || (error instanceof Problem && error.status < 500);
    if (!isKnown) throw error;
    ctx.log.warn({ tenant: own.tenantId, detail: error.message }, 'an LTI platform could not be registered');
    return registrationPage(request, { isDone: false, detail: error.message });
  }
}
