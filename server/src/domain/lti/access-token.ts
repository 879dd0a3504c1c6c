import { forTenant } from '../../db/transaction.ts';
import { createCache } from '../../infra/context/cache.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { checkedFetch } from '../events/webhooks/checked-fetch.ts';
import { signMessage } from './sign-message.ts';

const scopes = {
  score: 'lti-ags/scope/score',
  'result.readonly': 'lti-ags/scope/result.readonly',
  members: 'lti-nrps/scope/contextmembership.readonly',
} as const;
export type Scope = keyof typeof scopes;

/** The platform gave no access token. `message` says what to check. */
export class NoToken extends Error {
  readonly status: number | null;
  readonly retryAfter: number | null;

  constructor(message: string, status: number | null, retryAfter: number | null = null) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

/** OAuth 2.0 errors (RFC 6749 §5.2) whose cause is known. */
const advice: Record<string, string> = {
  invalid_client:
    'The platform does not accept our signature. Check ClientID, and the public keyset URL that is entered in the platform.',
  unauthorized_client:
    'The platform does not allow this tool to use services. Allow grade services for it there.',
};

const invalidScope = (scope: Scope) =>
  scope === 'members'
    ? 'The platform does not allow this tool to read members. Allow the service for names and roles there.'
    : 'The platform does not allow this tool to send scores. Allow grade services for it there.';

async function requestToken(ctx: TenantContext, platformId: string, scope: Scope) {
  const platform = await ctx.db
    .selectFrom('lti_platform')
    .select(['client_id', 'token_url'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('platform_id', '=', platformId)
    .executeTakeFirst();
  if (!platform) throw new NoToken('The platform was deleted.', null);
  const { client_id: client, token_url: url } = platform;
  // LTI security framework 4.1.1.
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await signMessage(ctx, { issuer: client, subject: client, audience: url }),
    scope: `https://purl.imsglobal.org/spec/${scopes[scope]}`,
  });
  const reply = await checkedFetch(ctx.config)(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body,
  }).catch((error: Error) => {
    throw new NoToken(`TokenURL could not be reached: ${error.message}`, null);
  });
  const text = await reply.text();
  const sent = readObject(text);
  const { access_token: token, expires_in: seconds } = sent;
  if (reply.status === 200 && typeof token === 'string' && token !== '')
    return { token, until: ctx.now().getTime() + (Number(seconds) || 300) * 900 };
  const known = sent.error === 'invalid_scope' ? invalidScope(scope) : advice[String(sent.error)];
  const wait = Number(reply.headers.get('retry-after'));
  throw new NoToken(
    known ?? `TokenURL responded with status ${reply.status}, without an access token.`,
    reply.status,
    Number.isInteger(wait) && wait > 0 ? Math.min(wait, 3_600) : null,
  );
}

function readObject(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {};
  }
}

const keyOf = (ctx: TenantContext, platformId: string, scope: Scope) =>
  [ctx.tenantId, platformId, scope].join('\0');

/** Tokens are asked for once an hour at most, or when they expire earlier. Concurrent requests share one. */
const tokens = createCache<Awaited<ReturnType<typeof requestToken>>>({
  name: 'lti_tokens',
  milliseconds: 60 * 60_000,
  max: 2_000,
  load: (ctx, key) => {
    const [tenantId = '', platformId = '', scope] = key.split('\0');
    return requestToken(forTenant(ctx, tenantId), platformId, scope as Scope);
  },
});

export async function accessToken(ctx: TenantContext, platformId: string, scope: Scope): Promise<string> {
  const key = keyOf(ctx, platformId, scope);
  const found = await tokens.get(ctx, key);
  if (found.until > ctx.now().getTime()) return found.token;
  tokens.forget(ctx, key);
  return (await tokens.get(ctx, key)).token;
}

export function forgetToken(ctx: TenantContext, platformId: string, scope: Scope): void {
  tokens.forget(ctx as Context, keyOf(ctx, platformId, scope));
}
