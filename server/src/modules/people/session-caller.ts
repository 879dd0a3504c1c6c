import type { FastifyRequest } from 'fastify';
import type { Context } from '../../platform/context.ts';
import type { Caller } from '../../platform/http/routes.ts';
import { derivedId } from '../../platform/ids.ts';
import { wholeSessionOf } from './sessions.ts';

/** The browser's session as an API caller; null if there is none. A session that still needs a passkey is rejected. */
export async function sessionCaller(ctx: Context, request: FastifyRequest): Promise<Caller | null> {
  const found = await wholeSessionOf(ctx, request);
  if (!found) return null;
  const { Role, TenantID, LoginID, Scopes } = found.session;
  return {
    keyId: derivedId(found.hash),
    tenantId: TenantID,
    scopes: Scopes,
    isSession: true,
    ...(found.userId === null ? {} : { userId: found.userId }),
    ...(Role === 'learner' ? { learner: LoginID ?? '' } : {}),
  };
}
