import type { Context } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { derivedId } from '../../platform/ids.ts';
import { appendAudit } from '../audit/append.ts';
import { newToken } from '../tenants/token.ts';
import { storeChosenPassword } from '../users/choose-password.ts';
import { newSessionTimes } from './session-times.ts';
import { personActor } from './sign-in-audit.ts';
import { openUserSession } from './user-sessions.ts';

const open = `
with used as (
  select known.user_id, null::text[] as scopes, null::text as second_factor from "user" known where known.tenant_id = $1 and known.user_id = $2
), ${openUserSession}
select used.* from used`;

type Chosen = {
  tenantId: string;
  user: { user_id: string; is_admin: boolean };
  passwordHash: string;
  userAgent: string | null;
  method: 'invitation' | 'reset';
  limit?: readonly string[] | null;
};

/** Stores the password and returns the token of a new session. Call it in the transaction that uses up the link. */
export async function setPasswordByLink(ctx: Context, chosen: Chosen): Promise<string> {
  const { tenantId, user, passwordHash, userAgent, method, limit } = chosen;
  const { user_id: userId, is_admin: isAdmin } = user;
  const { token, hash } = newToken(tenantId);
  const actor = personActor(ctx, { hash, userId, isAdmin });
  const choice = { userId, passwordHash, sessionId: derivedId(hash), ...(limit !== undefined && { limit }) };
  await storeChosenPassword({ ...ctx, tenantId, actor }, choice);
  const values = [tenantId, userId, ...newSessionTimes(ctx), hash, userAgent];
  await run(ctx, { name: 'open_session_by_link', text: open, values });
  await appendAudit(ctx, tenantId, {
    action: 'sign_in.succeeded',
    targetId: userId,
    data: { Method: method },
    actor,
  });
  return token;
}
