import { type TenantContext, tenantNow } from '../../../../infra/context/context.ts';
import { Problem } from '../../../../lib/errors.ts';
import {
  type AuSessionRow,
  lockRegistration,
  type Registration,
  readAuSession,
} from '../../../enrolments/run-time/au-sessions.ts';
import { accessEnd, sessionEnds } from '../../../enrolments/run-time/progress-cache.ts';

/**
 * Locks the enrolment of an AU's session until the transaction ends. Throws if the session or the
 * learner's access has ended. The token was checked earlier, but the body of a request may arrive
 * much later than its headers.
 */
export async function lockSession(
  ctx: TenantContext,
  handle: { enrollId: string; sessionId: string },
): Promise<Registration & AuSessionRow> {
  const registration = await lockRegistration(ctx, handle.enrollId);
  const session = registration && (await readAuSession(ctx, handle));
  if (!session || session.ended_at !== null) throw new Problem('unauthorized', sessionEnds.session_ended);
  const end = accessEnd(registration, tenantNow(ctx));
  if (end !== null) throw new Problem('unauthorized', sessionEnds[end]);
  return session;
}
