import { atLaunch } from '../../../../../../standards/aicc/session.ts';
import { withLaunchParameters } from '../../../../../../standards/cmi5/lms-statements.ts';
import type { LaunchMode } from '../../../../../../standards/cmi5/vocabulary.ts';
import { transaction } from '../../../../db/transaction.ts';
import { isProtected } from '../../../../infra/context/config.ts';
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
import type { AuHandle } from '../cmi5/fetch-token.ts';
import { addressOf, type OpenAu, type OpenedAu } from '../cmi5/open-au.ts';

const needsHttps =
  'AICC courses send a session ID in plain text, so they require HTTPS. Ask the operator to set CONTENT_URL to an https address.';

/**
 * Opens a session for an AICC unit and returns the URL that the learner's browser loads. Ends the enrolment's
 * open session. Counts the time of this unit's previous session, which may have ended without `ExitAU`.
 */
export async function openAicc(ctx: TenantContext, input: OpenAu): Promise<OpenedAu> {
  const { enrollId, launch, launchId, courseId, unit, addresses } = input;
  const unitId = unit.UnitID;
  const LaunchMode: LaunchMode = input.launchMode ?? 'Normal';
  const session: AuHandle = {
    ...{ tenantId: ctx.tenantId, enrollId, launch, launchId, courseId },
    sessionId: newId(tenantNow(ctx)),
  };
  const { files, hacp } = addresses(session);
  if (!isProtected(hacp)) throw new Problem('course_not_playable', needsHttps);
  await transaction(ctx, async (ctx) => {
    const registration = await lockRegistration(ctx, enrollId);
    if (!registration) throw new Problem('enrolment_erased', commitRejections.enrolment_erased);
    await abandonAuSessions(ctx, enrollId);
    await insertAuSession(ctx, {
      ...{ enrollId, sessionId: session.sessionId, launch, mode: LaunchMode },
      unit_id: unitId,
    });
    if (LaunchMode === 'Normal') {
      const data = atLaunch(unit, await readUnitData(ctx, { enrollId, unitId }));
      await recordUnit(ctx, { enrollId, launch, unitId, data });
    }
  });
  return {
    ...{ SessionID: session.sessionId, OwnWindow: false, LaunchMode },
    URL: withLaunchParameters(addressOf(unit, files), { AICC_SID: session.sessionId, AICC_URL: hacp }),
  };
}
