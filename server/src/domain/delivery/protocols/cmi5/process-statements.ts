import { isDeepStrictEqual } from 'node:util';
import {
  type AuRecord,
  dataOf,
  newlySatisfied,
  nothingReported,
  recordWithAnswer,
} from '../../../../../../standards/cmi5/satisfaction.ts';
import {
  type AuSession,
  acceptStatement,
  inOrderOfTime,
  isViolation,
  type SessionState,
} from '../../../../../../standards/cmi5/statement-rules.ts';
import { parseSeconds } from '../../../../../../standards/durations.ts';
import type { Unit } from '../../../../../../standards/types.ts';
import { isVoiding } from '../../../../../../standards/xapi/statements.ts';
import type { Statement } from '../../../../../../standards/xapi/types.ts';
import { isActorOf, recordAfter } from '../../../../../../standards/xapi-results.ts';
import type { TenantContext } from '../../../../infra/context/context.ts';
import { Problem } from '../../../../lib/errors.ts';
import { type PlayedRelease, playableContent, unitOf } from '../../../catalogue/playable.ts';
import {
  type AuSessionRow,
  type Registration,
  readRecords,
  updateAuSession,
} from '../../../enrolments/run-time/au-sessions.ts';
import { recordUnit } from '../../../enrolments/run-time/record-result.ts';
import type { OwnStatement, StatementEffects } from '../../../lrs/au-session.ts';
import { accountOf } from '../../../lrs/identity.ts';
import type { AuHandle } from './fetch-token.ts';
import { activityIdOfUnit, ownActivities } from './identity.ts';
import { satisfiedStatements, toStatements } from './lms-statements.ts';
import { lockSession } from './lock-session.ts';

/**
 * Checks an AU's new statements, records their effects, and returns further statements to store.
 * Runs in the transaction that stores the AU's statements.
 */
export async function processStatements(
  ctx: TenantContext,
  handle: AuHandle,
  statements: readonly Statement[],
): Promise<StatementEffects> {
  const session = await lockSession(ctx, handle);
  const registration: Registration = session;
  const played = await playableContent(ctx, registration.release_id);
  const unit = unitOf(played, session.unit_id);
  const before = await readRecords(ctx, handle.enrollId);
  const known = { registration, session, unit, record: before.get(unit.UnitID) ?? nothingReported };
  const judged = unit.AssignableUnit
    ? evaluateAu(ctx, known, statements)
    : evaluateActivity(ctx, known, statements);
  await apply(ctx, handle, known, judged);
  const course = { courseId: registration.course_id, units: played.tree.Units };
  return {
    following: followUps(ctx, { ...known, handle, played, before, after: judged.record }),
    defines: ownActivities(ctx, course),
    isResult: !isDeepStrictEqual({ ...judged.record, answers: null }, { ...known.record, answers: null }),
  };
}

type Known = { registration: Registration; session: AuSessionRow; unit: Unit; record: AuRecord };
type Evaluated = { state: SessionState; record: AuRecord };

/** Applies the rules of cmi5. */
function evaluateAu(ctx: TenantContext, known: Known, statements: readonly Statement[]): Evaluated {
  const { registration, session, unit } = known;
  const launch: AuSession = {
    ...{ sessionId: session.session_id, registration: registration.enroll_id, publisherId: unit.UnitID },
    activityId: activityIdOfUnit(ctx, registration.course_id, unit),
    account: accountOf(ctx, registration.login_id),
    launchMode: session.mode === 'Waived' ? 'Normal' : session.mode,
    masteryScore: unit.AssignableUnit?.MasteryScore ?? null,
  };
  let judged: Evaluated = {
    state: { prepared: session.prepared, verbs: session.verbs },
    record: known.record,
  };
  for (const statement of inOrderOfTime(statements)) {
    const decision = acceptStatement({ session: launch, ...judged }, statement);
    if (isViolation(decision))
      throw new Problem('cmi5_violation', `${decision.message} See section ${decision.section} of cmi5.`);
    const isTimed = decision.verb === 'terminated' && launch.launchMode === 'Normal';
    const seconds = isTimed ? parseSeconds(statement.result?.duration) : 0;
    judged = {
      state: decision.state,
      record:
        seconds > 0 ? { ...decision.record, seconds: decision.record.seconds + seconds } : decision.record,
    };
  }
  return judged;
}

/**
 * Statements from xAPI packages may have any verb. They must be about the launch's learner and
 * registration, and must not void other statements.
 */
function evaluateActivity(ctx: TenantContext, known: Known, statements: readonly Statement[]): Evaluated {
  const account = accountOf(ctx, known.registration.login_id);
  let { record } = known;
  for (const statement of inOrderOfTime(statements)) {
    if (!isActorOf(statement, account))
      throw new Problem('cmi5_violation', "The actor must be the launch's actor.");
    const { registration = known.registration.enroll_id } = statement.context ?? {};
    if (registration.toLowerCase() !== known.registration.enroll_id)
      throw new Problem('cmi5_violation', "The registration must be the launch's registration.");
    if (isVoiding(statement)) throw new Problem('cmi5_violation', 'A course cannot void statements.');
    record = recordWithAnswer(recordAfter(record, statement, known.unit.UnitID), statement);
  }
  return { state: { prepared: true, verbs: [] }, record };
}

async function apply(
  ctx: TenantContext,
  handle: AuHandle,
  known: Known,
  { state, record }: Evaluated,
): Promise<void> {
  const isTerminated = state.verbs.includes('terminated');
  await updateAuSession(ctx, handle, { verbs: state.verbs, isStatement: true, isTerminated });
  if (record === known.record) return;
  const { enrollId, launch } = handle;
  const report = { enrollId, launch, unitId: known.unit.UnitID };
  if (await recordUnit(ctx, { ...report, data: dataOf(record) })) return;
  // Without its record, the unit would forget what it has reported.
  await recordUnit(ctx, { ...report, data: dataOf({ ...record, answers: known.record.answers }) });
}

type Change = Known & {
  handle: AuHandle;
  played: PlayedRelease;
  before: ReadonlyMap<string, AuRecord>;
  after: AuRecord;
};

function followUps(ctx: TenantContext, change: Change): OwnStatement[] {
  const { registration, unit, handle, played, before, after } = change;
  if (played.standard !== 'cmi5' || after === change.record) return [];
  const nodes = newlySatisfied(played.tree, before, new Map([...before, [unit.UnitID, after]]));
  const { sessionId } = handle;
  return toStatements(ctx, satisfiedStatements(ctx, registration, { nodes, sessionId }));
}
