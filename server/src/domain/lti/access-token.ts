import { ownRows } from '../../db/own-rows.ts';
import { forTenant } from '../../db/transaction.ts';
import { createCache } from '../../infra/context/cache.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { type AccessToken, NoToken, requestToken } from '../events/webhooks/access-token.ts';
import { keysetUrl } from './platforms.ts';
import { signMessage } from './sign-message.ts';

const scopes = {
  score: 'lti-ags/scope/score',
  'result.readonly': 'lti-ags/scope/result.readonly',
  members: 'lti-nrps/scope/contextmembership.readonly',
  notices: 'lti/scope/noticehandlers',
} as const;
export type Scope = keyof typeof scopes;

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

async function requestPlatformToken(ctx: TenantContext, platformId: string, scope: Scope) {
  const platform = await ownRows(ctx, 'lti_platform', { platform_id: platformId })
    .select(['client_id', 'token_url'])
    .executeTakeFirst();
  if (!platform) throw new NoToken('The platform was deleted.');
  const { client_id: client, token_url: url } = platform;
  return requestToken(ctx, {
    url,
    // LTI security framework 4.1.1.
    body: {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await signMessage(ctx, { issuer: client, subject: client, audience: url }),
      scope: `https://purl.imsglobal.org/spec/${scopes[scope]}`,
    },
    advice: {
      ...advice,
      invalid_scope: invalidScope(scope),
      // Moodle 4.5 sends an HTML page with status 404 if its HTTP security blocks our keyset.
      other: `Check whether the platform can read ${keysetUrl(ctx)}.`,
    },
  });
}

const keyOf = (ctx: TenantContext, platformId: string, scope: Scope) =>
  [ctx.tenantId, platformId, scope].join('\0');

/** Tokens are asked for once an hour at most, or when they expire earlier. Concurrent requests share one. */
const tokens = createCache<AccessToken>({
  name: 'lti_tokens',
  milliseconds: 60 * 60_000,
  max: 2_000,
  load: (ctx, key) => {
    const [tenantId = '', platformId = '', scope] = key.split('\0');
    return requestPlatformToken(forTenant(ctx, tenantId), platformId, scope as Scope);
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
