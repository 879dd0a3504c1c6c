import {
  createLocalJWKSet,
  errors,
  importSPKI,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyGetKey,
  type JWTVerifyOptions,
  jwtVerify,
} from 'jose';
import { createCache } from '../../infra/context/cache.ts';
import type { Context } from '../../infra/context/context.ts';
import { checkedFetch } from '../events/webhooks/checked-fetch.ts';
import type { Client } from './platforms.ts';
import type { LaunchProblem } from './schemas.ts';
import type { State } from './state.ts';

/** Never taken from the token. RS256 is the one that LTI requires. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'ES256', 'ES384'];
const clockSeconds = 60;

/** A launch that is rejected. `detail` is for the administrator, in the log of launches. */
export class Rejected extends Error {
  readonly problem: LaunchProblem;

  constructor(problem: LaunchProblem, detail: string) {
    super(detail);
    this.problem = problem;
  }
}

type Keys = { find: JWTVerifyGetKey; at: number };

/** Keeps the keys that were found, because finding one in the set again takes a fifth of a verification. */
function findOnce(find: JWTVerifyGetKey): JWTVerifyGetKey {
  const found = new Map<string, Awaited<ReturnType<JWTVerifyGetKey>>>();
  return async (header, token) => {
    const name = `${header.alg} ${header.kid}`;
    const key = found.get(name) ?? (await find(header, token));
    found.set(name, key);
    return key;
  };
}

const platformKeys = createCache<Keys>({
  name: 'lti_keys',
  milliseconds: 10 * 60_000,
  max: 1_000,
  load: async (ctx, url) => {
    const reply = await checkedFetch(ctx.config)(url, {
      method: 'GET',
      headers: { accept: 'application/json' },
    });
    if (reply.status !== 200) throw new Error(`${url} responded with status ${reply.status}.`);
    const set = (await reply.json()) as JSONWebKeySet;
    if (!Array.isArray(set?.keys)) throw new Error(`${url} did not send a list of keys.`);
    return { find: findOnce(createLocalJWKSet(set)), at: ctx.now().getTime() };
  },
});

/** A new key is looked up at once, but forged key IDs must not cause a request each. */
const minimumAgeMilliseconds = 30_000;

/** Verifies a token of a platform or a tool with its published keys. */
export async function verifyByUrl(
  ctx: Context,
  jwksUrl: string,
  token: string,
  options: JWTVerifyOptions,
  isRetry = false,
): Promise<JWTPayload> {
  const keys = await platformKeys.get(ctx, jwksUrl).catch((error: unknown) => {
    throw new Rejected('keys_unreachable', (error as Error).message || 'The keys could not be read.');
  });
  try {
    return (await jwtVerify(token, keys.find, withDefaults(ctx, options))).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
    if (isRetry || ctx.now().getTime() - keys.at < minimumAgeMilliseconds) throw error;
    platformKeys.forget(ctx, jwksUrl);
    return verifyByUrl(ctx, jwksUrl, token, options, true);
  }
}

/** Verifies a token of a tool that publishes no keys with its RSA key. */
export async function verifyByKey(
  ctx: Context,
  publicKey: string,
  token: string,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  const key = await importSPKI(publicKey, 'RS256');
  return (await jwtVerify(token, key, { ...withDefaults(ctx, options), algorithms: ['RS256'] })).payload;
}

const withDefaults = (ctx: Context, options: JWTVerifyOptions): JWTVerifyOptions => ({
  algorithms,
  clockTolerance: clockSeconds,
  currentDate: ctx.now(),
  ...options,
});

/** Why a token is rejected, in the words of `launchProblems`. */
export function toRejected(error: unknown): Rejected {
  if (error instanceof Rejected) return error;
  const detail = (error as Error).message;
  if (error instanceof errors.JWTExpired) return new Rejected('token_expired', detail);
  if (error instanceof errors.JWTClaimValidationFailed) {
    const ofClaim: Record<string, LaunchProblem> = {
      aud: 'wrong_audience',
      iss: 'wrong_issuer',
      nbf: 'clock_off',
    };
    return new Rejected(ofClaim[error.claim] ?? 'malformed', detail);
  }
  if (error instanceof errors.JWKSNoMatchingKey) return new Rejected('key_not_found', detail);
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported)
    return new Rejected('bad_algorithm', detail);
  if (error instanceof errors.JWSSignatureVerificationFailed) return new Rejected('bad_signature', detail);
  return new Rejected('malformed', detail);
}

const prefix = 'https://purl.imsglobal.org/spec/lti';
export const claimName = (name: string) => `${prefix}/claim/${name}`;
export const copyNotice = 'LtiContextCopyNotice';

export type DeepLinkSettings = {
  deep_link_return_url: string;
  accept_types?: string[];
  accept_multiple?: boolean;
  accept_lineitem?: boolean;
  data?: string;
};

/** The claims that the service uses. Others are ignored. */
export type Claims = {
  message: 'launch' | 'deep_link';
  deploymentId: string;
  subject: string | null;
  givenName: string | null;
  familyName: string | null;
  email: string | null;
  resourceLinkId: string | null;
  /** The course in the platform. `membersUrl` is null if the platform does not let tools read its members (NRPS 2.0). */
  context: { id: string; title: string | null; membersUrl: string | null } | null;
  targetLinkUri: string | null;
  custom: Record<string, unknown>;
  returnUrl: string | null;
  lineItem: string | null;
  /** Whether the platform also shows the results that it has. */
  mayRead: boolean;
  /** Where copies of courses can be ordered as notices; null if the platform offers none. */
  noticesUrl: string | null;
  settings: DeepLinkSettings | null;
};

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
const objectOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};

const messages: Record<string, Claims['message']> = {
  LtiResourceLinkRequest: 'launch',
  LtiDeepLinkingRequest: 'deep_link',
};

const isWebUrl = (text: string) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

function settingsOf(value: unknown): DeepLinkSettings {
  const settings = objectOf(value);
  const address = textOf(settings.deep_link_return_url);
  if (address === null || !isWebUrl(address))
    throw new Rejected('malformed', 'deep_link_return_url is missing or not a web URL.');
  const types = Array.isArray(settings.accept_types) ? settings.accept_types.map(String) : [];
  if (!types.includes('ltiResourceLink'))
    throw new Rejected('malformed', 'accept_types does not include ltiResourceLink.');
  const flag = (name: string) => settings[name] === true || settings[name] === 'true';
  return {
    deep_link_return_url: address,
    accept_multiple: flag('accept_multiple'),
    accept_lineitem: settings.accept_lineitem === undefined || flag('accept_lineitem'),
    ...(textOf(settings.data) !== null && { data: settings.data as string }),
  };
}

function contextOf(context: unknown, service: unknown): Claims['context'] {
  const { id, title } = objectOf(context);
  const known = textOf(id);
  if (known === null || known.length > 255) return null;
  const address = textOf(objectOf(service).context_memberships_url);
  const isUsable = address !== null && address.length <= 2_000 && isWebUrl(address);
  return { id: known, title: textOf(title)?.slice(0, 255) ?? null, membersUrl: isUsable ? address : null };
}

/** LTI Platform Notification Service 1.0. */
function noticesUrlOf(service: unknown): string | null {
  const { platform_notification_service_url, scope, notice_types_supported } = objectOf(service);
  const address = textOf(platform_notification_service_url);
  const has = (list: unknown, name: string) => Array.isArray(list) && list.includes(name);
  const isOffered = has(scope, `${prefix}/scope/noticehandlers`) && has(notice_types_supported, copyNotice);
  return isOffered && address !== null && address.length <= 2_000 && isWebUrl(address) ? address : null;
}

function claimsOf(payload: JWTPayload): Claims {
  const claim = (name: string) => payload[claimName(name)];
  const message = messages[String(claim('message_type'))];
  if (message === undefined)
    throw new Rejected('malformed', `The message type ${String(claim('message_type'))} is not supported.`);
  if (claim('version') !== '1.3.0') throw new Rejected('malformed', 'The version is not 1.3.0.');
  const deploymentId = textOf(claim('deployment_id'));
  if (deploymentId === null) throw new Rejected('malformed', 'deployment_id is missing.');
  const resourceLinkId = textOf(objectOf(claim('resource_link')).id);
  if (message === 'launch' && resourceLinkId === null)
    throw new Rejected('malformed', 'resource_link has no id.');
  const endpoint = objectOf(payload[`${prefix}-ags/claim/endpoint`]);
  const scopes = Array.isArray(endpoint.scope) ? endpoint.scope : [];
  const maySend = scopes.includes(`${prefix}-ags/scope/score`);
  return {
    message,
    deploymentId,
    subject: textOf(payload.sub),
    givenName: textOf(payload.given_name),
    familyName: textOf(payload.family_name ?? (payload.given_name ? null : payload.name)),
    email: textOf(payload.email),
    resourceLinkId: resourceLinkId?.slice(0, 255) ?? null,
    context: contextOf(claim('context'), payload[`${prefix}-nrps/claim/namesroleservice`]),
    targetLinkUri: textOf(claim('target_link_uri')),
    custom: objectOf(claim('custom')),
    returnUrl: textOf(objectOf(claim('launch_presentation')).return_url),
    lineItem: maySend ? textOf(endpoint.lineitem) : null,
    mayRead: scopes.includes(`${prefix}-ags/scope/result.readonly`),
    noticesUrl: noticesUrlOf(claim('platformnotificationservice')),
    settings:
      message === 'deep_link' ? settingsOf(payload[`${prefix}-dl/claim/deep_linking_settings`]) : null,
  };
}

/** Checks a message of a platform (LTI security framework 5.1.3), but for its nonce. Throws `Rejected`. */
export async function verifyMessage(ctx: Context, client: Client, token: string): Promise<JWTPayload> {
  try {
    const payload = await verifyByUrl(ctx, client.jwks_url, token, {
      issuer: client.issuer,
      audience: client.client_id,
      requiredClaims: ['exp', 'iat', 'nonce'],
    });
    const audiences = [payload.aud].flat();
    if (payload.azp === undefined ? audiences.length > 1 : payload.azp !== client.client_id)
      throw new Rejected('wrong_audience', 'azp is not the client ID.');
    if ((payload.iat ?? 0) * 1000 > ctx.now().getTime() + clockSeconds * 1000)
      throw new Rejected('clock_off', `The token was issued in the future (iat ${payload.iat}).`);
    return payload;
  } catch (error) {
    throw toRejected(error);
  }
}

/** Checks an ID token. Throws `Rejected`. */
export async function verifyLaunch(
  ctx: Context,
  client: Client,
  state: State,
  token: string,
): Promise<Claims> {
  const payload = await verifyMessage(ctx, client, token);
  if (payload.nonce !== state.nonce) throw new Rejected('wrong_nonce', 'The nonce is not that of the login.');
  return claimsOf(payload);
}
