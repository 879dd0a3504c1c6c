import type { Context } from '../../../platform/context.ts';
import { isId } from '../../../platform/ids.ts';
import { newToken, readToken } from '../../tenants/token.ts';

/** The content of a link: the invitation it is for, and a secret of which only the hash is stored. */
export type InvitationHandle = { tenantId: string; invitationId: string; hash: string };

/** The token is in the fragment, which browsers never send to a server, so no log contains it. */
export function newInvitationLink(
  ctx: Pick<Context, 'config'>,
  { tenantId, invitationId }: { tenantId: string; invitationId: string },
): { url: string; hash: string } {
  const { token, hash } = newToken(tenantId);
  return { url: `${ctx.config.baseUrl}/console/invitation#${invitationId}.${token}`, hash };
}

export function readInvitationToken(token: string): InvitationHandle | null {
  const end = token.indexOf('.');
  const invitationId = token.slice(0, Math.max(0, end));
  const handle = readToken(token.slice(end + 1));
  if (!handle || handle.tenantId === null || !isId(invitationId)) return null;
  return { ...handle, invitationId };
}
