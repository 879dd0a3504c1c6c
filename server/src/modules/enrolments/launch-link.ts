import type { Context } from '../../platform/context.ts';
import { isId } from '../../platform/ids.ts';
import { sign, splitOnce, verify } from '../../platform/keys/signing.ts';

export type EnrolmentHandle = { tenantId: string; enrollId: string };

function signedText(handle: EnrolmentHandle): string {
  return `${handle.tenantId}\0${handle.enrollId}`;
}

/** The permanent link to an enrolment. It always has a query string, because clients append `&returnURL=`. */
export function launchUrl(ctx: Context, handle: EnrolmentHandle): string {
  const tenant = Buffer.from(handle.tenantId).toString('base64url');
  const key = `${tenant}.${sign(ctx.keys, 'launch', signedText(handle))}`;
  return `${ctx.config.baseUrl}/launch?enrolment=${handle.enrollId}&key=${key}`;
}

/** The enrolment for a launch link; null if we did not sign the link. */
export function readLaunchKey(ctx: Context, enrollId: string, key: string): EnrolmentHandle | null {
  const [tenant, signature] = splitOnce(key);
  if (!tenant || !signature || !isId(enrollId)) return null;
  const handle = { tenantId: Buffer.from(tenant, 'base64url').toString(), enrollId };
  return verify(ctx.keys, 'launch', signedText(handle), signature) ? handle : null;
}
