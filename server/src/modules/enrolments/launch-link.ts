import type { Context } from '../../platform/context.ts';
import { sign, splitOnce, verify } from '../../platform/keys/signing.ts';

export type EnrolmentHandle = { tenantId: string; enrollId: string };

function signedText(handle: EnrolmentHandle): string {
  return `${handle.tenantId}\0${handle.enrollId}`;
}

/**
 * The permanent link to an enrolment. It always has a query string, because clients append `&returnURL=`. It ends with
 * the UUID, because mail programs cut off a `-` or `_` at the end.
 */
export function launchUrl(ctx: Context, handle: EnrolmentHandle): string {
  const tenant = Buffer.from(handle.tenantId).toString('base64url');
  const key = `${tenant}.${sign(ctx.keys, 'launch', signedText(handle))}`;
  return `${ctx.config.baseUrl}/launch?key=${key}&enrolment=${handle.enrollId}`;
}

/** The key of the longest TenantID is shorter. */
const maxKey = 2_048;

/** What a mail program may have left of the end of a key. */
const lostEnds = ['', '-', '_'];

/**
 * The enrolment for a launch link; null if we did not sign the link. Punctuation and spaces that mail programs add are
 * ignored.
 */
export function readLaunchKey(ctx: Context, sentId: string, sentKey: string): EnrolmentHandle | null {
  const enrollId =
    /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?![\da-z])/i.exec(sentId)?.[0].toLowerCase() ?? '';
  const [tenant, signature] = splitOnce(
    sentKey
      .slice(0, maxKey)
      .replaceAll(/[^\w.-]/g, '')
      .replace(/\.+$/, ''),
  );
  if (!tenant || !signature || !enrollId) return null;
  const handle = { tenantId: Buffer.from(tenant, 'base64url').toString(), enrollId };
  const text = signedText(handle);
  return lostEnds.some((end) => verify(ctx.keys, 'launch', text, signature + end)) ? handle : null;
}
