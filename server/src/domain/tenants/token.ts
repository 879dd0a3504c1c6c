import { randomBytes } from 'node:crypto';
import { sha256 } from '../../lib/ids.ts';

/**
 * The token in the browser's cookie: the tenant, which every SQL statement needs, and a secret of which only a hash is
 * stored.
 */
export type Handle = { tenantId: string; hash: string } | OperatorHandle;
type OperatorHandle = { tenantId: null; hash: string };

/**
 * The tenant in the token needs no signature, because the secret matches nothing in another tenant.
 * For the operator, the tenant is empty.
 */
export function newToken(tenantId: string | null): { token: string; hash: string } {
  const secret = randomBytes(32).toString('base64url');
  return { token: `${Buffer.from(tenantId ?? '').toString('base64url')}.${secret}`, hash: sha256(secret) };
}

export function readToken(token: string | undefined): Handle | null {
  const [, tenant, secret] = /^([\w-]{0,1400})\.([\w-]{43})$/.exec(token ?? '') ?? [];
  if (tenant === undefined || !secret) return null;
  const hash = sha256(secret);
  if (tenant === '') return { tenantId: null, hash };
  const tenantId = Buffer.from(tenant, 'base64url').toString();
  return tenantId.includes('\0') ? null : { tenantId, hash };
}
