import { type Context, type TenantContext, tenantNow } from '../../../../infra/context/context.ts';
import { signToken, verifyToken } from '../../../../infra/keys/key-ring.ts';
import { newSecret, sha256 } from '../../../../lib/ids.ts';
import { readAuSession, setAuToken } from '../../../enrolments/run-time/au-sessions.ts';
import { accessEnd } from '../../../enrolments/run-time/progress-cache.ts';
import { writeRefusedReport } from '../../../enrolments/run-time/read-results.ts';

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
 * password. `hacp` is part of the URL to which AICC units report. `tool` opens an LTI tool.
 */
type AuTokenUse = 'content' | 'fetch' | 'lrs' | 'hacp' | 'tool';

export function writeAuToken(ctx: Context, use: AuTokenUse, handle: AuHandle): string {
  const { tenantId, enrollId, launch, launchId, courseId, sessionId } = handle;
  return signToken(ctx.keys, 'au', [use, tenantId, enrollId, launch, launchId, courseId, sessionId]);
}

/**
 * Returns the session and the use of a token. Returns null if the token is forged. The cast is
 * safe, because only we can sign a token.
 */
export function readAuToken(ctx: Context, token: string): (AuHandle & { use: AuTokenUse }) | null {
  const value = verifyToken(ctx.keys, 'au', token) as
    | [AuTokenUse, string, string, number, string, string, string]
    | null;
  if (!value) return null;
  const [use, tenantId, enrollId, launch, launchId, courseId, sessionId] = value;
  return { use, tenantId, enrollId, launch, launchId, courseId, sessionId };
}

/** Returns credentials for the LRS in the format of HTTP Basic (section 8.2), and the hash to store. */
export function newLrsToken(ctx: Context, handle: AuHandle): { token: string; hash: string } {
  const secret = newSecret('au');
  const token = Buffer.from(`${writeAuToken(ctx, 'lrs', handle)}:${secret}`).toString('base64');
  return { token, hash: sha256(secret) };
}

/** Returns the session of a token for the LRS and the hash of its secret. Returns null for any other token. */
export function readLrsToken(ctx: Context, token: string): { handle: AuHandle; hash: string } | null {
  const text = Buffer.from(token, 'base64').toString();
  const colon = text.lastIndexOf(':');
  const handle = colon < 0 ? null : readAuToken(ctx, text.slice(0, colon));
  return handle?.use === 'lrs' ? { handle, hash: sha256(text.slice(colon + 1)) } : null;
}

type FetchedToken = { 'auth-token': string } | { 'error-code': '1' | '2'; 'error-text': string };

/** Section 8.2: the fetch URL returns the token only once. Errors are ordinary responses with status 200. */
export async function fetchToken(ctx: TenantContext, handle: AuHandle): Promise<FetchedToken> {
  const session = await readAuSession(ctx, handle);
  if (!session || accessEnd(session, tenantNow(ctx)) !== null)
    return { 'error-code': '2', 'error-text': 'The learner has no access to this course.' };
  const { token, hash } = newLrsToken(ctx, handle);
  if (await setAuToken(ctx, { ...handle, tokenHash: hash })) return { 'auth-token': token };
  const text =
    'The token has already been returned, or the session has ended. Open the page again from the course.';
  const { enrollId, launch, sessionId } = handle;
  await writeRefusedReport(ctx, {
    ...{ enrollId, launch, sessionId, unitId: session.unit_id, code: 'unauthorized', detail: text },
    ...{ call: 'POST /play/{token}/fetch', verbs: [] },
  });
  return { 'error-code': '1', 'error-text': text };
}
