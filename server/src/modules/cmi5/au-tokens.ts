import type { Context } from '../../platform/context.ts';
import { newSecret, sha256 } from '../../platform/ids.ts';
import { signToken, verifyTokenCached } from '../../platform/keys/signing.ts';

/** Identifies an AU session in its tokens. */
export type AuHandle = {
  tenantId: string;
  enrollId: string;
  launch: number;
  launchId: string;
  courseId: string;
  sessionId: string;
};

/**
 * `content` gives access to course files and is part of the launch URL in statements. `fetch`
 * returns the token for the LRS once. `lrs` is the user name for the LRS, with the secret as the
 * password. `hacp` is part of the URL to which AICC units report.
 */
export type AuTokenUse = 'content' | 'fetch' | 'lrs' | 'hacp';

export function writeAuToken(ctx: Context, use: AuTokenUse, handle: AuHandle): string {
  const { tenantId, enrollId, launch, launchId, courseId, sessionId } = handle;
  return signToken(ctx.keys, 'au', [use, tenantId, enrollId, launch, launchId, courseId, sessionId]);
}

/**
 * Returns the session and the use of a token. Returns null if the token is forged. The cast is
 * safe, because only we can sign a token.
 */
export function readAuToken(ctx: Context, token: string): (AuHandle & { use: AuTokenUse }) | null {
  const value = verifyTokenCached(ctx.keys, 'au', token) as
    | [AuTokenUse, string, string, number, string, string, string]
    | null;
  if (!value) return null;
  const [use, tenantId, enrollId, launch, launchId, courseId, sessionId] = value;
  return { use, tenantId, enrollId, launch, launchId, courseId, sessionId };
}

/**
 * Returns credentials for the LRS in the format of HTTP Basic (section 8.2), and the hash to store.
 */
export function newLrsToken(ctx: Context, handle: AuHandle): { token: string; hash: string } {
  const secret = newSecret('au');
  const token = Buffer.from(`${writeAuToken(ctx, 'lrs', handle)}:${secret}`).toString('base64');
  return { token, hash: sha256(secret) };
}

/**
 * Returns the session of a token for the LRS and the hash of its secret. Returns null for any other
 * token.
 */
export function readLrsToken(ctx: Context, token: string): { handle: AuHandle; hash: string } | null {
  const text = Buffer.from(token, 'base64').toString();
  const colon = text.lastIndexOf(':');
  const handle = colon < 0 ? null : readAuToken(ctx, text.slice(0, colon));
  return handle?.use === 'lrs' ? { handle, hash: sha256(text.slice(colon + 1)) } : null;
}
