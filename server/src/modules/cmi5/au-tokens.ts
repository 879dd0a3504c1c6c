import type { Context } from '../../platform/context.ts';
import { newSecret, sha256 } from '../../platform/ids.ts';
import { seal, unsealCached } from '../../platform/keys/signing.ts';

/** An AU session, as identified by its tokens. */
export type AuHandle = {
  tenantId: string;
  enrollId: string;
  launch: number;
  launchId: string | null;
  courseId: string;
  sessionId: string;
};

/**
 * `content` reads course files, and is part of the launch URL in statements. `fetch` gets the token for the LRS, once.
 * `lrs` is the user name for the LRS; the secret is the password. `hacp` is part of the URL to which AICC units report.
 */
export type AuTokenUse = 'content' | 'fetch' | 'lrs' | 'hacp';

export function writeAuToken(ctx: Context, use: AuTokenUse, handle: AuHandle): string {
  const { tenantId, enrollId, launch, launchId, courseId, sessionId } = handle;
  return seal(ctx.keys, 'au', [use, tenantId, enrollId, launch, launchId, courseId, sessionId]);
}

/** The session and the use of a token; null if it is forged. The cast is safe, because only we can seal a token. */
export function readAuToken(ctx: Context, token: string): (AuHandle & { use: AuTokenUse }) | null {
  const value = unsealCached(ctx.keys, 'au', token) as
    | [AuTokenUse, string, string, number, string | null, string, string]
    | null;
  if (!value) return null;
  const [use, tenantId, enrollId, launch, launchId, courseId, sessionId] = value;
  return { use, tenantId, enrollId, launch, launchId, courseId, sessionId };
}

/** The credentials for the LRS, as HTTP Basic expects them (section 8.2), and the hash to store. */
export function newLrsToken(ctx: Context, handle: AuHandle): { token: string; hash: string } {
  const secret = newSecret('au');
  const token = Buffer.from(`${writeAuToken(ctx, 'lrs', handle)}:${secret}`).toString('base64');
  return { token, hash: sha256(secret) };
}

/** The session of a token for the LRS, and the hash of its secret; null if it is not such a token. */
export function readLrsToken(ctx: Context, token: string): { handle: AuHandle; hash: string } | null {
  const text = Buffer.from(token, 'base64').toString();
  const colon = text.lastIndexOf(':');
  const handle = colon < 0 ? null : readAuToken(ctx, text.slice(0, colon));
  return handle?.use === 'lrs' ? { handle, hash: sha256(text.slice(colon + 1)) } : null;
}
