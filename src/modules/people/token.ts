import { randomBytes } from 'node:crypto';
import { sha256 } from '../../platform/ids.ts';

/** What a browser holds: the tenant, so that every statement can name it, and a secret that we keep as a hash. */
export type Handle = { tenantId: string; hash: string };

/** The tenant in it needs no signature: the secret leads to nothing in another one. */
export function newToken(tenantId: string): { token: string; hash: string } {
  const secret = randomBytes(32).toString('base64url');
  return { token: `${Buffer.from(tenantId).toString('base64url')}.${secret}`, hash: sha256(secret) };
}

export function readToken(token: string | undefined): Handle | null {
  const [, tenant, secret] = /^([\w-]{1,1400})\.([\w-]{43})$/.exec(token ?? '') ?? [];
  if (!tenant || !secret) return null;
  const tenantId = Buffer.from(tenant, 'base64url').toString();
  return tenantId.includes('\0') ? null : { tenantId, hash: sha256(secret) };
}
