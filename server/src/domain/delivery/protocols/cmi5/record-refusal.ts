import { forTenant } from '../../../../db/transaction.ts';
import { readAuSession } from '../../../enrolments/run-time/au-sessions.ts';
import { writeRefusedReport } from '../../../enrolments/run-time/read-results.ts';
import type { RecordRefusal } from '../../../lrs/au-session.ts';
import { readLrsToken } from './fetch-token.ts';

/** Records a refused call with the token of an AU, even if its session has ended. */
export const recordRefusal: RecordRefusal = async (ctx, token, refusal) => {
  const handle = readLrsToken(ctx, token)?.handle;
  if (!handle) return;
  const own = forTenant(ctx, handle.tenantId);
  const session = await readAuSession(own, handle);
  if (!session) return;
  const { enrollId, launch, sessionId } = handle;
  await writeRefusedReport(own, { ...refusal, enrollId, launch, sessionId, unitId: session.unit_id });
};
