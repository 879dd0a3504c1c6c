import { randomBytes } from 'node:crypto';
import { SignJWT } from 'jose';
import type { TenantContext } from '../../infra/context/context.ts';
import { signingKey } from '../identity/tenant-keys.ts';

/** Signs a message or an assertion for a platform with the tenant's key, which `/issuer/{TenantID}/jwks.json` publishes. */
export async function signMessage(
  ctx: TenantContext,
  input: { issuer: string; subject?: string; audience: string; claims?: Record<string, unknown> },
): Promise<string> {
  const { keyId, privateKey } = await signingKey(ctx, 'RS256', ctx.now());
  const seconds = Math.floor(ctx.now().getTime() / 1000);
  const token = new SignJWT({ nonce: randomBytes(24).toString('base64url'), ...input.claims })
    .setProtectedHeader({ alg: 'RS256', kid: keyId, typ: 'JWT' })
    .setIssuer(input.issuer)
    .setAudience(input.audience)
    .setJti(randomBytes(16).toString('base64url'))
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + 300);
  return (input.subject === undefined ? token : token.setSubject(input.subject)).sign(privateKey);
}
