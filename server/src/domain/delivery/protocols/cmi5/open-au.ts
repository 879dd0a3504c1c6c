import { launchActor } from '../../../../../../standards/authoring-tools.ts';
import {
  actorOf,
  type LmsStatement,
  launchData,
  launched,
  withLaunchParameters,
} from '../../../../../../standards/cmi5/lms-statements.ts';
import {
  type AuRecord,
  dataOf,
  nothingReported,
  satisfiedNodes,
} from '../../../../../../standards/cmi5/satisfaction.ts';
import { type LaunchMode, launchDataId } from '../../../../../../standards/cmi5/vocabulary.ts';
import type { Unit } from '../../../../../../standards/types.ts';
import { transaction } from '../../../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../../../infra/context/context.ts';
import { Problem } from '../../../../lib/errors.ts';
import { newId } from '../../../../lib/ids.ts';
import type { PlayedRelease } from '../../../catalogue/playable.ts';
import {
  type AuSessionRow,
  abandonAuSessions,
  countStorage,
  hasAuSessions,
  insertAuSession,
  lockRegistration,
  type Registration,
  readRecords,
} from '../../../enrolments/run-time/au-sessions.ts';
import { commitRejections } from '../../../enrolments/run-time/progress-cache.ts';
import { recordUnit } from '../../../enrolments/run-time/record-result.ts';
import { writeState } from '../../../lrs/documents.ts';
import { accountOf } from '../../../lrs/identity.ts';
import { type AuHandle, newLrsToken } from './fetch-token.ts';
import { activityIdOfUnit } from './identity.ts';
import {
  abandonedStatement,
  registrationOf,
  satisfiedStatements,
  secondsOf,
  storeLmsStatements,
} from './lms-statements.ts';

/** Addresses on the content origin that depend on the session. */
export type AuAddresses = (session: AuHandle) => {
  files: string;
  fetch: string;
  hacp: string;
  returned: string;
};

export type OpenAu = {
  enrollId: string;
  launch: number;
  launchId: string;
  courseId: string;
  played: PlayedRelease;
  unit: Unit;
  /** If null, the mode is `Review` if nothing more can be recorded, and `Normal` otherwise. */
  launchMode: LaunchMode | null;
  addresses: AuAddresses;
};

export type OpenedAu = { SessionID: string; URL: string; OwnWindow: boolean; LaunchMode: LaunchMode };

/**
 * Opens a session for an AU or an xAPI activity, and returns the URL that the learner's browser
 * loads. Abandons the registration's open session (sections 8.1, 9.3.1, 9.3.6 and 10).
 */
export async function openAu(ctx: TenantContext, input: OpenAu): Promise<OpenedAu> {
  const { played, unit } = input;
  return transaction(ctx, async (ctx) => {
    const registration = await lockRegistration(ctx, input.enrollId);
    if (!registration) throw new Problem('enrolment_erased', commitRejections.enrolment_erased);
    const isFirst = !(await hasAuSessions(ctx, input.enrollId));
    const records = await readRecords(ctx, input.enrollId);
    const left = await abandonAuSessions(ctx, input.enrollId);
    const opening = {
      ...input,
      registration,
      record: records.get(unit.UnitID) ?? nothingReported,
    };
    const opened = await insert(ctx, opening);
    await recordChanges(ctx, opening, { records, left, mode: opened.LaunchMode });
    const statements = [
      ...(played.standard === 'cmi5'
        ? left.map((session) => abandonedStatement(ctx, registration, session))
        : []),
      ...(isFirst ? satisfiedAtRegistration(ctx, registration, played) : []),
      ...opened.statements,
    ];
    await countStorage(ctx, input.enrollId, { bytes: bytesOf(statements), isReserved: true });
    await storeLmsStatements(ctx, statements);
    const { statements: _, ...answer } = opened;
    return answer;
  });
}

/** Approximate size of a session, and of a statement without its text, in the database. */
const rowBytes = { session: 1_024, statement: 2_048 };

const bytesOf = (statements: readonly LmsStatement[]) =>
  statements.reduce(
    (sum, statement) => sum + rowBytes.statement + Buffer.byteLength(JSON.stringify(statement)),
    rowBytes.session,
  );

type Opening = OpenAu & { registration: Registration; record: AuRecord };
type InsertedSession = OpenedAu & { statements: LmsStatement[] };

function insert(ctx: TenantContext, opening: Opening): Promise<InsertedSession> {
  const { registration, unit, record, launch, launchId, courseId } = opening;
  const isFinished = record.completed !== null && record.passed !== null;
  const LaunchMode = opening.launchMode ?? (isFinished ? 'Review' : 'Normal');
  const session: AuHandle = {
    ...{ tenantId: ctx.tenantId, enrollId: registration.enroll_id, launch, launchId, courseId },
    sessionId: newId(tenantNow(ctx)),
  };
  const row = {
    ...{ enrollId: session.enrollId, sessionId: session.sessionId, launch, mode: LaunchMode },
    unit_id: unit.UnitID,
  };
  const open = unit.AssignableUnit ? insertAu : insertActivity;
  return open(ctx, opening, { session, row, LaunchMode });
}

type NewSession = { session: AuHandle; row: Parameters<typeof insertAuSession>[1]; LaunchMode: LaunchMode };

/** For cmi5 AUs, which fetch their token and read their launch data. */
async function insertAu(
  ctx: TenantContext,
  opening: Opening,
  { session, row, LaunchMode }: NewSession,
): Promise<InsertedSession> {
  const { unit, registration } = opening;
  const { AssignableUnit: au, UnitID } = unit;
  if (!au) throw new Error(`${UnitID} is not an AU`);
  await insertAuSession(ctx, row);
  const account = accountOf(ctx, registration.login_id);
  const activityId = activityIdOfUnit(ctx, registration.course_id, unit);
  const { files, fetch, returned } = opening.addresses(session);
  const { sessionId, enrollId } = session;
  const launch = {
    ...{ sessionId, activityId, publisherId: UnitID, names: unit.Names ?? {}, au },
    launchMode: LaunchMode,
  };
  await writeState(ctx, {
    ...{ agent: actorOf(account), activityId, registration: enrollId, stateId: launchDataId },
    content: launchData(launch, returned),
  });
  const launchUrl = addressOf(unit, files);
  const at = tenantNow(ctx);
  return {
    ...{ SessionID: sessionId, OwnWindow: au.OwnWindow, LaunchMode },
    URL: withLaunchParameters(launchUrl, {
      ...{ endpoint: `${ctx.config.baseUrl}/xapi/`, fetch, actor: JSON.stringify(actorOf(account)) },
      ...{ registration: enrollId, activityId },
    }),
    statements: [launched(registrationOf(ctx, registration), launch, { at, launchUrl })],
  };
}

/** For units of xAPI packages, whose launch URL contains the credentials. */
async function insertActivity(
  ctx: TenantContext,
  { unit, registration, addresses, played }: Opening,
  { session, row, LaunchMode }: NewSession,
): Promise<InsertedSession> {
  const { token, hash } = newLrsToken(ctx, session);
  await insertAuSession(ctx, { ...row, tokenHash: hash });
  const actor = launchActor(played.tree.AuthoringTool, accountOf(ctx, registration.login_id));
  return {
    ...{ SessionID: session.sessionId, OwnWindow: false, LaunchMode },
    URL: withLaunchParameters(addressOf(unit, addresses(session).files), {
      ...{ endpoint: `${ctx.config.baseUrl}/xapi/`, auth: `Basic ${token}`, actor: JSON.stringify(actor) },
      ...{ registration: session.enrollId, activity_id: unit.UnitID },
    }),
    statements: [],
  };
}

/** The URL of the unit's page, which is external or a file of the course. */
export function addressOf({ Href }: Unit, files: string): string {
  return Href !== null && /^https?:/i.test(Href) ? Href : files + (Href ?? '');
}

/** Records that the AU has been opened, and adds the time spent in abandoned sessions. */
async function recordChanges(
  ctx: TenantContext,
  { enrollId, launch, unit }: Opening,
  { records, left, mode }: { records: Map<string, AuRecord>; left: AuSessionRow[]; mode: LaunchMode },
): Promise<void> {
  const changed = new Map<string, AuRecord>();
  const recordOf = (unitId: string) => changed.get(unitId) ?? records.get(unitId) ?? nothingReported;
  for (const session of left.filter(({ mode }) => mode === 'Normal')) {
    const record = recordOf(session.unit_id);
    changed.set(session.unit_id, { ...record, seconds: record.seconds + secondsOf(session) });
  }
  if (mode === 'Normal') changed.set(unit.UnitID, recordOf(unit.UnitID));
  for (const [unitId, record] of changed)
    await recordUnit(ctx, { enrollId, launch, unitId, data: dataOf(record) });
}

/** Section 9.6.1: blocks and courses in which no AU has to be satisfied are satisfied before the first launch. */
export function satisfiedAtRegistration(
  ctx: TenantContext,
  registration: Registration,
  { standard, tree }: PlayedRelease,
): LmsStatement[] {
  if (standard !== 'cmi5') return [];
  const nodes = satisfiedNodes(tree, new Map());
  return satisfiedStatements(ctx, registration, { nodes, sessionId: newId(tenantNow(ctx)) });
}
