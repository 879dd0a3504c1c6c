import { transaction } from '../../../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../../../infra/context/context.ts';
import { Problem } from '../../../../lib/errors.ts';
import { newId } from '../../../../lib/ids.ts';
import { readUnitData } from '../../../enrolments/record/units.ts';
import {
  abandonAuSessions,
  insertAuSession,
  lockRegistration,
} from '../../../enrolments/run-time/au-sessions.ts';
import { commitRejections } from '../../../enrolments/run-time/progress-cache.ts';
import { recordUnit } from '../../../enrolments/run-time/record-result.ts';
import { type AuHandle, writeAuToken } from '../cmi5/fetch-token.ts';
import type { OpenAu, OpenedAu } from '../cmi5/open-au.ts';

/** Opens a session for an LTI tool and returns the URL that starts its launch. Ends the enrolment's open session. */
export async function openTool(ctx: TenantContext, input: OpenAu): Promise<OpenedAu> {
  const { enrollId, launch, launchId, courseId, unit } = input;
  const unitId = unit.UnitID;
  const LaunchMode = 'Normal';
  const session: AuHandle = {
    ...{ tenantId: ctx.tenantId, enrollId, launch, launchId, courseId },
    sessionId: newId(tenantNow(ctx)),
  };
  await transaction(ctx, async (ctx) => {
    if (!(await lockRegistration(ctx, enrollId)))
      throw new Problem('enrolment_erased', commitRejections.enrolment_erased);
    await abandonAuSessions(ctx, enrollId);
    const { sessionId } = session;
    await insertAuSession(ctx, { enrollId, sessionId, launch, mode: LaunchMode, unit_id: unitId });
    const data = await readUnitData(ctx, { enrollId, unitId });
    await recordUnit(ctx, { enrollId, launch, unitId, data: { 'cmi5.seconds': '0', ...data } });
  });
  const token = new URLSearchParams({ session: writeAuToken(ctx, 'tool', session) });
  return {
    ...{ SessionID: session.sessionId, OwnWindow: false, LaunchMode },
    URL: `${ctx.config.baseUrl}/lti/tool?${token}`,
  };
}
