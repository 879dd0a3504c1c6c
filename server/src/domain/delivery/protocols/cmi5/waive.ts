import { waived } from '../../../../../../standards/cmi5/lms-statements.ts';
import { dataOf, newlySatisfied, nothingReported } from '../../../../../../standards/cmi5/satisfaction.ts';
import { transaction } from '../../../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../../../infra/context/context.ts';
import { Problem } from '../../../../lib/errors.ts';
import { isId, newId } from '../../../../lib/ids.ts';
import { appendAudit } from '../../../audit/chain.ts';
import { playableContent, unitOf } from '../../../catalogue/playable.ts';
import { readEnrolment } from '../../../enrolments/list.ts';
import { enrolmentNotFound } from '../../../enrolments/record/record.ts';
import type { Enrolment } from '../../../enrolments/record/schemas.ts';
import { insertAuSession, lockRegistration, readRecords } from '../../../enrolments/run-time/au-sessions.ts';
import { recordUnit } from '../../../enrolments/run-time/record-result.ts';
import { activityIdOfUnit } from './identity.ts';
import { registrationOf, satisfiedStatements, storeLmsStatements } from './lms-statements.ts';

type Waiver = { loginId: string; enrollId: string; UnitID: string; Reason: string };

/** Waives an AU, so that the learner need not take it (section 9.3.7). Waiving it again changes nothing. */
export async function waiveAu(ctx: TenantContext, input: Waiver): Promise<Enrolment> {
  const { loginId, enrollId } = input;
  if (!isId(enrollId)) throw enrolmentNotFound();
  await transaction(ctx, async (ctx) => {
    const registration = await lockRegistration(ctx, enrollId);
    if (!registration || registration.login_id !== loginId) throw enrolmentNotFound();
    if (registration.release_id === null)
      throw new Problem(
        'not_waivable',
        'The learner has not opened the course yet, so it is not known which release they will take. Override the result with PUT /enrolment/{LoginID}/{EnrollID}, or waive the unit later.',
      );
    const played = await playableContent(ctx, registration.release_id);
    const unit = unitOf(played, input.UnitID);
    const { AssignableUnit: au, UnitID } = unit;
    if (!au)
      throw new Problem('not_waivable', 'Only AUs of cmi5 courses can be waived.', { param: 'UnitID' });
    const before = await readRecords(ctx, enrollId);
    const record = before.get(UnitID) ?? nothingReported;
    if (record.waived !== null) return;
    const sessionId = newId(tenantNow(ctx));
    const at = tenantNow(ctx);
    const after = { ...record, waived: at.toISOString() };
    const { launches: launch } = registration;
    await insertAuSession(ctx, { enrollId, sessionId, launch, mode: 'Waived', unit_id: UnitID });
    await recordUnit(ctx, { enrollId, launch, unitId: UnitID, data: dataOf(after) });
    const activityId = activityIdOfUnit(ctx, registration.course_id, unit);
    const waiver = { sessionId, activityId, publisherId: UnitID, names: unit.Names ?? {}, au };
    const nodes = newlySatisfied(played.tree, before, new Map([...before, [UnitID, after]]));
    await storeLmsStatements(ctx, [
      waived(registrationOf(ctx, registration), waiver, { at, reason: input.Reason }),
      ...satisfiedStatements(ctx, registration, { nodes, sessionId }),
    ]);
    await appendAudit(ctx, ctx.tenantId, {
      ...{ action: 'enrolment.unit_waived' as const, targetId: enrollId },
      data: { UnitID },
    });
  });
  return readEnrolment(ctx, { loginId, enrollId });
}
