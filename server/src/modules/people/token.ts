import { randomBytes } from 'node:crypto';
import type { Context } from '../../platform/context.ts';
import { sha256 } from '../../platform/ids.ts';

/** What a browser holds: the tenant, so that every statement can name it, and a secret that we keep as a hash. */
export type Handle = { tenantId: string; hash: string } | OperatorHandle;
type OperatorHandle = { tenantId: null; hash: string };

/** The tenant in it needs no signature: the secret leads to nothing in another one. That of the operator is empty. */
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

export function signInAddress({ config }: Pick<Context, 'config'>, token: string): string {
  return `${config.baseUrl}/session/sign-in?token=${token}`;
}
