import type { FastifyRequest } from 'fastify';
import type { Caller, Route } from '../../http/routes.ts';
import type { ResolveTenant } from '../../http/serve/dispatch.ts';
import type { Context } from '../../infra/context/context.ts';
import { countSignInFailure } from '../../infra/context/counters.ts';
import { requireScope } from '../../infra/context/scopes.ts';
import { Problem } from '../../lib/errors.ts';
import { sha256 } from '../../lib/ids.ts';
import { cleanText } from '../../lib/unicode.ts';
import { readAccessToken } from './access-token.ts';
import { type KnownKey, usableKey, usableKeyById } from './known-keys.ts';

const unauthenticated = 'Send a valid key as Authorization: Bearer <secret>.';

export function isUsable(ctx: Context, key: KnownKey | null): key is KnownKey {
  if (key === null || key.revokedAt || key.tenantStatus === 'deleting') return false;
  return !(key.expiresAt && key.expiresAt <= ctx.now());
}

function rejectSuspended({ tenantStatus }: KnownKey): void {
  if (tenantStatus === 'suspended')
    throw new Problem(
      'tenant_suspended',
      'The tenant of this key is suspended. Ask the operator to resume it.',
    );
}

async function callerOf(ctx: Context, request: FastifyRequest, token: string): Promise<Caller> {
  if (token.split('.').length === 3) {
    const claims = await readAccessToken(ctx, token);
    const key = claims && (await usableKeyById.get(ctx, claims.keyId));
    request.rejectedKeyId = key?.keyId ?? null;
    if (!claims || !isUsable(ctx, key)) {
      countSignInFailure(ctx, 'key');
      throw new Problem(
        'unauthorized',
        'The access token is invalid or has expired. Get a new one at /oauth/token.',
      );
    }
    rejectSuspended(key);
    return { ...claims, keyScopes: key.scopes };
  }
  const key = await usableKey.get(ctx, sha256(token));
  request.rejectedKeyId = key?.keyId ?? null;
  if (!isUsable(ctx, key)) {
    countSignInFailure(ctx, 'key');
    throw new Problem('unauthorized', `The key is unknown, revoked or expired. ${unauthenticated}`);
  }
  rejectSuspended(key);
  return key;
}

/** The key in an Authorization header (RFC 6750 §2.1). The prefix `Token` is accepted too. */
export function bearerToken(authorization: string): string | undefined {
  return /^(?:Bearer|Token) +([\w.~+/=-]{16,4096})$/i.exec(authorization)?.[1];
}

export async function keyCaller(ctx: Context, request: FastifyRequest): Promise<Caller> {
  const token = bearerToken(request.headers.authorization ?? '');
  if (!token) throw new Problem('unauthorized', `This operation needs a key. ${unauthenticated}`);
  return callerOf(ctx, request, token);
}

/** The name and password in an Authorization header (RFC 7617). */
export function basicCredentials(request: FastifyRequest): [string, string] | null {
  const [, encoded] = /^Basic +(\S+)$/i.exec(request.headers.authorization ?? '') ?? [];
  if (!encoded) return null;
  const text = Buffer.from(encoded, 'base64').toString();
  const colon = text.indexOf(':');
  return colon < 0 ? null : [text.slice(0, colon), text.slice(colon + 1)];
}

/** For clients that only support HTTP Basic: the KeyID is the user name, and the secret is the password. */
export async function basicKeyCaller(ctx: Context, request: FastifyRequest): Promise<Caller | null> {
  const [name, password] = basicCredentials(request) ?? [];
  if (name === undefined || password === undefined) return null;
  const caller = await callerOf(ctx, request, password);
  if (caller.keyId === name) return caller;
  countSignInFailure(ctx, 'key');
  throw new Problem(
    'unauthorized',
    'The user name is not the KeyID that belongs to the secret. Send KeyID:Secret.',
  );
}

/** Rejects a call if the key or session must not use the route. `loginId` is the LoginID in the path. */
export function authorize(caller: Caller, route: Route, loginId: string | null): void {
  if (caller.learner !== undefined && !(route.allowsLearners && cleanText(loginId ?? '') === caller.learner))
    throw new Problem(
      'own_only',
      'As a learner, you can only read your own data and redeem enrolment keys. Ask an administrator.',
    );
  if (route.access === 'operator' && caller.tenantId !== null)
    throw new Problem(
      'operator_only',
      'Only the operator can use this operation. Use an operator key, or sign in as the operator.',
    );
  for (const scope of route.scope === null ? [] : [route.scope, ...(route.additionalScopes ?? [])])
    requireScope(caller, scope, 'This operation');
  if (route.sessionsOnly && !caller.isSession)
    throw new Problem(
      'session_required',
      'Keys cannot use this operation. Sign in to the console as an administrator of the tenant.',
    );
}

/** The tenant that a request acts on: the caller's own tenant or, for an operator, the one in the `Tenant` header. */
export function tenantResolver(exists: (ctx: Context, tenantId: string) => Promise<boolean>): ResolveTenant {
  return async (ctx, request, caller) => {
    const header = request.headers.tenant;
    const named = typeof header === 'string' ? decodeHeader(header) : null;
    if (caller.tenantId !== null) {
      if (named !== null && named !== caller.tenantId)
        throw new Problem(
          'tenant_not_allowed',
          'Keys and sessions of a tenant can only act on their own tenant. Leave out the Tenant header.',
        );
      return caller.tenantId;
    }
    if (!named)
      throw new Problem(
        'tenant_required',
        'This operation requires a tenant. Send its TenantID in the Tenant header.',
        { param: 'Tenant' },
      );
    if (/\p{Cc}/u.test(named) || !(await exists(ctx, named)))
      throw new Problem(
        'tenant_not_found',
        'The tenant in the Tenant header does not exist. Create it first.',
      );
    return named;
  };
}

/** Header values are Latin-1 on the wire; identifiers in other scripts are percent-encoded. */
function decodeHeader(text: string): string {
  try {
    return cleanText(decodeURIComponent(text));
  } catch {
    return text;
  }
}
