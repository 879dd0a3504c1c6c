import type { KeyObject } from 'node:crypto';
import { jwtVerify, SignJWT } from 'jose';
import type { Caller } from '../../http/routes.ts';
import type { Context } from '../../infra/context/context.ts';
import { isScope } from '../../infra/context/scopes.ts';
import { findKey, keyFor } from '../../infra/keys/key-ring.ts';

/** Lifetime of an access token, in seconds. */
export const accessTokenSeconds = 600;

const issuer = 'lectern';

/** A signed JWT (RFC 7519) that contains the KeyID, so that revoking the key also invalidates the token. */
export function writeAccessToken(ctx: Context, caller: Caller): Promise<string> {
  const [key] = ctx.keys.keys;
  const now = Math.floor(ctx.now().getTime() / 1000);
  return new SignJWT({ tenant: caller.tenantId, scope: caller.scopes.join(' ') })
    .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: key.id })
    .setIssuer(issuer)
    .setSubject(caller.keyId)
    .setIssuedAt(now)
    .setExpirationTime(now + accessTokenSeconds)
    .sign(keyFor(key, 'access-token'));
}

/**
 * Decoders ignore some bits of the last base64url character of a part, so the same token can be written in
 * several ways. Only the canonical form is accepted.
 */
const isCanonical = (token: string) =>
  token.split('.').every((part) => Buffer.from(part, 'base64url').toString('base64url') === part);

export async function readAccessToken(ctx: Context, token: string): Promise<Caller | null> {
  if (!isCanonical(token)) return null;
  try {
    const { payload } = await jwtVerify(token, ({ kid }) => keyOf(ctx, kid), {
      issuer,
      algorithms: ['HS256'],
      typ: 'at+jwt',
      currentDate: ctx.now(),
    });
    return {
      keyId: payload.sub ?? '',
      tenantId: typeof payload.tenant === 'string' ? payload.tenant : null,
      scopes: String(payload.scope).split(' ').filter(isScope),
    };
  } catch {
    return null;
  }
}

function keyOf(ctx: Context, id: string | undefined): KeyObject {
  const key = findKey(ctx.keys, id ?? '');
  if (!key) throw new Error('The key ring does not contain this key.');
  return keyFor(key, 'access-token');
}
