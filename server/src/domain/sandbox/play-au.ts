import type { launchData } from '../../../../standards/cmi5/lms-statements.ts';
import { nothingReported } from '../../../../standards/cmi5/satisfaction.ts';
import { launchDataId, preferencesId } from '../../../../standards/cmi5/vocabulary.ts';
import type { Unit } from '../../../../standards/types.ts';
import type { Statement } from '../../../../standards/xapi/types.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { openUnit } from '../delivery/player/open-sessions.ts';
import { type AuHandle, fetchToken } from '../delivery/protocols/cmi5/fetch-token.ts';
import { findAuSession } from '../delivery/protocols/cmi5/find-au-session.ts';
import { activityIdOfUnit } from '../delivery/protocols/cmi5/identity.ts';
import type { OpenedAu } from '../delivery/protocols/cmi5/open-au.ts';
import { readRecords } from '../enrolments/run-time/au-sessions.ts';
import { sessionEnds } from '../enrolments/run-time/progress-cache.ts';
import { readLaunchState } from '../enrolments/run-time/start.ts';
import type { AuSession } from '../lrs/au-session.ts';
import { getDocument } from '../lrs/document-requests.ts';
import type { LrsRequest } from '../lrs/lrs-request.ts';
import { postStatements, preparePost } from '../lrs/statement-requests.ts';
import { type ActivityLaunch, activityStatement, auStatements } from './play-statements.ts';
import type { Play } from './schemas.ts';

type PlayedUnit = { handle: Omit<AuHandle, 'sessionId'>; unit: Unit; play: Play };

/** Plays a unit of a cmi5 course or an xAPI package, with the requests that its content would send. */
export async function playAu(ctx: TenantContext, input: PlayedUnit): Promise<void> {
  try {
    await report(ctx, input);
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'unauthorized') throw error;
    // The session's token no longer works. The caller's key still does, so report why the session has ended.
    const ended = (await readLaunchState(ctx, input.handle)).ended ?? 'session_superseded';
    throw new Problem(ended, sessionEnds[ended]);
  }
}

async function report(ctx: TenantContext, { handle, unit, play }: PlayedUnit): Promise<void> {
  const opened = await openUnit(ctx, handle, { UnitID: unit.UnitID });
  const session = await authenticate(ctx, handle, { unit, opened });
  const lrs = lrsOf(ctx, session);
  const launch: ActivityLaunch = {
    actor: session.learner,
    registration: session.registration,
    activityId: activityIdOfUnit(ctx, handle.courseId, unit),
    at: tenantNow(ctx),
    newId: () => newId(tenantNow(ctx)),
  };
  if (!unit.AssignableUnit) return lrs.send([activityStatement(launch, play)]);
  const launchData = await lrs.readLaunchData(launch);
  await lrs.readPreferences(launch);
  const record = (await readRecords(ctx, handle.enrollId)).get(unit.UnitID) ?? nothingReported;
  const { open, leaving } = auStatements({ ...launch, launchData, record }, play);
  await lrs.send(open);
  await lrs.send([leaving]);
}

/** AUs fetch their token (section 8.2); the launch URL of an xAPI activity contains it. */
async function authenticate(
  ctx: TenantContext,
  handle: PlayedUnit['handle'],
  { unit, opened }: { unit: Unit; opened: OpenedAu },
): Promise<AuSession> {
  const token = unit.AssignableUnit
    ? await fetchToken(ctx, { ...handle, sessionId: opened.SessionID })
    : { 'auth-token': new URL(opened.URL).searchParams.getAll('auth').at(-1)?.replace('Basic ', '') ?? '' };
  const found = 'auth-token' in token ? await findAuSession(ctx, token['auth-token']) : null;
  if (found) return found.session;
  throw new Problem('unauthorized', sessionEnds.session_ended);
}

/** The part of the LRS that content uses, without HTTP. */
function lrsOf(ctx: TenantContext, session: AuSession) {
  const request: LrsRequest = {
    edition: '1.0.3',
    caller: { kind: 'au', session },
    parameters: {},
    contentType: 'application/json',
    body: Buffer.alloc(0),
    ...{ acceptLanguage: undefined, ifMatch: undefined, ifNoneMatch: undefined },
  };
  return {
    async readLaunchData({ actor, registration, activityId }: ActivityLaunch): Promise<LaunchData> {
      const parameters = { agent: JSON.stringify(actor), registration, activityId, stateId: launchDataId };
      const { body } = await getDocument(ctx, 'state', { ...request, parameters });
      return parseLaunchData(String(body));
    },
    /** Most learners have no preferences, but content has to ask for them (section 11). */
    async readPreferences({ actor }: ActivityLaunch): Promise<void> {
      const parameters = { agent: JSON.stringify(actor), profileId: preferencesId };
      await getDocument(ctx, 'agent_profile', { ...request, parameters }).catch((error: unknown) => {
        if (!(error instanceof Problem) || error.code !== 'document_not_found') throw error;
      });
    },
    async send(statements: readonly Statement[]): Promise<void> {
      const body = Buffer.from(JSON.stringify(statements));
      await postStatements(ctx, await preparePost(ctx, { ...request, body }));
    },
  };
}

type LaunchData = ReturnType<typeof launchData>;

/** The cast is safe: only the service writes launch data. */
const parseLaunchData = (text: string) => JSON.parse(text) as LaunchData;
