import type { Actor, Context } from '../../infra/context/context.ts';
import { countSignInFailure } from '../../infra/context/counters.ts';
import { derivedId } from '../../lib/ids.ts';
import { deployment } from '../audit/chain.ts';
import { recordFailedSignIn } from '../audit/failures.ts';

/** The actor of a request that has just created or ended a session. Learners' addresses are not recorded. */
export function personActor(
  { actor }: Context,
  session: { hash: string; userId: string; isAdmin: boolean },
): Actor {
  const { hash, userId, isAdmin } = session;
  const kind = isAdmin ? 'administrator' : 'learner';
  return { ...actor, kind, id: derivedId(hash), userId, address: isAdmin ? actor.address : null };
}

export function operatorActor({ actor }: Context, hash: string): Actor {
  return { ...actor, kind: 'operator', id: derivedId(hash) };
}

/** The user named in a failed attempt; null if there is no such user. */
export type Named = { user_id: string; is_admin: boolean } | null;

/** If the tenant does not exist, `tenantId` is null and the attempt is recorded for the deployment. */
export async function auditFailure(
  ctx: Context,
  input: {
    tenantId: string | null;
    method: 'link' | 'password' | 'invitation' | 'reset' | 'passkey' | 'provider';
    named: Named;
    /** What was wrong, if it is not simply the credentials. Contains no personal data. */
    cause?: string;
  },
): Promise<void> {
  const { tenantId, method, named, cause } = input;
  countSignInFailure(ctx, method);
  const address = named && !named.is_admin ? null : ctx.actor.address;
  const acting = { ...ctx, actor: { ...ctx.actor, address } };
  const userId = named?.user_id ?? null;
  await recordFailedSignIn(acting, tenantId ?? deployment, { method, userId, cause });
}
