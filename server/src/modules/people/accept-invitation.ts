import type { Context } from '../../platform/context.ts';
import { run, transaction } from '../../platform/db/transaction.ts';
import { Problem } from '../../platform/errors.ts';
import { derivedId } from '../../platform/ids.ts';
import { appendAudit } from '../audit/append.ts';
import { newToken } from '../tenants/token.ts';
import { storeChosenPassword } from '../users/choose-password.ts';
import {
  findInvited,
  findPending,
  type PendingInvitation,
  useInvitation,
} from '../users/invitations/accept.ts';
import { type InvitationHandle, readInvitationToken } from '../users/invitations/link.ts';
import { pageFunction, readPassword, storePassword } from '../users/passwords.ts';
import type { OpenInvitation } from './schemas.ts';
import { newSessionTimes } from './session-times.ts';
import { auditFailure, personActor } from './sign-in-audit.ts';
import { openUserSession } from './user-sessions.ts';

function ended(): Problem {
  return new Problem(
    'invitation_ended',
    'The link has been used, has expired or was revoked. Ask for a new invitation, or sign in with your password.',
  );
}

/** The information shown on the link's page. Does not use up the link. */
export async function readOpenInvitation(ctx: Context, input: { token: string }): Promise<OpenInvitation> {
  const handle = readInvitationToken(input.token);
  const found = handle && (await findPending(ctx, handle));
  if (!found) throw ended();
  return {
    TenantID: found.tenant_id,
    TenantName: found.tenant_name,
    LoginID: found.login_id,
    FirstName: found.first_name,
    LastName: found.last_name,
    ExpiresAt: found.expires_at.toISOString(),
    PasswordHash: pageFunction(found.declared),
  };
}

const open = `
with used as (
  select known.user_id, null::text[] as scopes from "user" known where known.tenant_id = $1 and known.user_id = $2
), ${openUserSession}
select used.* from used`;

type Acceptance = { token: string; password: string; userAgent: string | null };

/** Sets the password and returns the token of a new session. The link works once. */
export async function acceptInvitation(ctx: Context, input: Acceptance): Promise<string> {
  const handle = readInvitationToken(input.token);
  const found = handle && (await findPending(ctx, handle));
  if (!found) throw await refuse(ctx, handle);
  const password = readPassword(input.password, pageFunction(found.declared));
  const passwordHash = await storePassword(ctx, password);
  const token = await useLink(ctx, { handle, found, passwordHash, userAgent: input.userAgent });
  if (token === null) throw await refuse(ctx, handle);
  return token;
}

type Use = {
  handle: InvitationHandle;
  found: PendingInvitation;
  passwordHash: string;
  userAgent: string | null;
};

function useLink(ctx: Context, { handle, passwordHash, userAgent }: Use): Promise<string | null> {
  const { tenantId } = handle;
  const { token, hash } = newToken(tenantId);
  return transaction(ctx, async (ctx) => {
    const used = await useInvitation({ ...ctx, tenantId }, handle);
    if (!used) return null;
    const { user_id: userId, is_admin: isAdmin } = used;
    const actor = personActor(ctx, { hash, userId, isAdmin });
    const choice = { userId, passwordHash, sessionId: derivedId(hash), limit: used.scopes };
    await storeChosenPassword({ ...ctx, tenantId, actor }, choice);
    const values = [tenantId, userId, ...newSessionTimes(ctx), hash, userAgent];
    await run(ctx, { name: 'open_invited_session', text: open, values });
    await appendAudit(ctx, tenantId, {
      action: 'sign_in.succeeded',
      targetId: userId,
      data: { Method: 'invitation' },
      actor,
    });
    return token;
  });
}

async function refuse(ctx: Context, handle: InvitationHandle | null): Promise<Problem> {
  const named = handle && (await findInvited(ctx, handle));
  await auditFailure(ctx, { tenantId: named ? handle.tenantId : null, method: 'invitation', named });
  return ended();
}
