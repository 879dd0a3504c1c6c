import {
  type HacpError,
  type HacpRequest,
  hacpAnswer,
  readHacpRequest,
} from '../../../../../../standards/aicc/hacp.ts';
import {
  afterPutInteractions,
  afterPutObjectives,
  commentsIn,
} from '../../../../../../standards/aicc/lists.ts';
import { afterPutParam, paramMessage, withMore } from '../../../../../../standards/aicc/messages.ts';
import { atExit, atLaunch } from '../../../../../../standards/aicc/session.ts';
import { storageLimits } from '../../../../../../standards/storage-limits.ts';
import type { RunTimeData, Unit } from '../../../../../../standards/types.ts';
import { ownRows } from '../../../../db/own-rows.ts';
import { forTenant, transaction } from '../../../../db/transaction.ts';
import { type Context, type TenantContext, tenantNow } from '../../../../infra/context/context.ts';
import { playableContent, unitOf, withTimeFactor } from '../../../catalogue/playable.ts';
import { readUnitData } from '../../../enrolments/record/units.ts';
import {
  type AuSessionRow,
  lockRegistration,
  type Registration,
  readAuSession,
  updateAuSession,
} from '../../../enrolments/run-time/au-sessions.ts';
import { notStoredReason } from '../../../enrolments/run-time/commit-data.ts';
import { accessEnd, heartbeatDeadline } from '../../../enrolments/run-time/progress-cache.ts';
import { recordUnit } from '../../../enrolments/run-time/record-result.ts';
import { timeFactorOf } from '../../../users/users.ts';
import { type AuHandle, readAuToken } from '../cmi5/fetch-token.ts';

type Result = { error: HacpError; text?: string; data?: string };

/**
 * Answers a request from AICC content. Records each report before acknowledging it, because content
 * may never send `ExitAU`. All callers without the session's URL and ID get the same error.
 */
export async function answerHacp(ctx: Context, token: string, body: Uint8Array): Promise<string> {
  const handle = readAuToken(ctx, token);
  if (handle?.use !== 'hacp') return hacpAnswer({ error: 3 });
  const request = readHacpRequest(body);
  const { version } = request;
  if (request.sessionId !== handle.sessionId) return hacpAnswer({ error: 3, version });
  // Check this before parsing, because parsing a megabyte of empty lines takes half a second.
  if (hasMoreLines(request.data, maxLines)) return hacpAnswer({ version, ...tooLong });
  return hacpAnswer({ version, ...(await act(forTenant(ctx, handle.tenantId), handle, request)) });
}

/** Applies the message of a command to the data. Returns null if the message cannot be read. */
type Change = (data: RunTimeData, message: string, unit: Unit) => RunTimeData | null;

const changes = new Map<string, Change>([
  ['putparam', afterPutParam],
  ['putinteractions', afterPutInteractions],
  ['putobjectives', afterPutObjectives],
  ['putcomments', (data, message) => withMore(data, 'cmi.comments', commentsIn(message))],
  ['putpath', (data, message) => withMore(data, 'lectern.path', message)],
  ['putperformance', (data, message) => withMore(data, 'lectern.performance', message)],
  ['exitau', (data, message, unit) => atExit(unit, afterPutParam(data, message))],
]);

type Session = Registration & AuSessionRow;

function act(ctx: TenantContext, handle: AuHandle, request: HacpRequest): Promise<Result> {
  return transaction(ctx, async (ctx) => {
    // Lock first, so that requests and launches for the same enrolment run one at a time.
    const registration = await lockRegistration(ctx, handle.enrollId);
    const session = registration && (await readAuSession(ctx, handle));
    if (!session) return { error: 3 };
    const isExit = request.command === 'exitau';
    // Content may repeat `ExitAU`, or send it after the learner has opened another unit.
    if (isExit && session.ended_at !== null) return { error: 0 };
    if (isOver(session, tenantNow(ctx))) return { error: 3 };
    const isRead = request.command === 'getparam';
    if (!isRead && !changes.has(request.command)) return { error: 1 };
    const content = await playableContent(ctx, session.release_id);
    const unit = unitOf(withTimeFactor(content, timeFactorOf(session.time_factor)), session.unit_id);
    const result = isRead
      ? await read(ctx, session, { unit, request })
      : await change(ctx, session, { unit, request });
    await updateAuSession(ctx, handle, {
      ...{ isStatement: true, isTerminated: isExit },
      ...(isRead && { prepared: true }),
    });
    return result;
  });
}

/** A session ends when the learner leaves the unit or opens another, or after a day without a request. */
function isOver(session: Session, now: Date): boolean {
  const lastSeen = session.last_statement_at ?? session.opened_at;
  return session.ended_at !== null || accessEnd(session, now) !== null || lastSeen < heartbeatDeadline(now);
}

type HacpCommand = { unit: Unit; request: HacpRequest };

async function read(ctx: TenantContext, session: Session, { unit, request }: HacpCommand): Promise<Result> {
  const { enroll_id: enrollId, unit_id: unitId, user_id, course_id, login_id } = session;
  const stored = await readUnitData(ctx, { enrollId, unitId });
  const named = await ownRows(ctx, 'user', { user_id })
    .select(['first_name', 'last_name'])
    .executeTakeFirst();
  const Name = [named?.last_name, named?.first_name].filter(Boolean).join(', ') || login_id;
  const mode = session.mode === 'Waived' ? 'Normal' : session.mode;
  const data = mode === 'Normal' ? stored : atLaunch(unit, stored);
  const learning = { learner: { ID: login_id, Name }, courseId: course_id, mode, unit };
  return { error: 0, data: paramMessage(data, request.version, learning) };
}

const maxLines = storageLimits.unitElements;
const tooLong: Result = { error: 1, text: `A message can have at most ${maxLines} lines` };
const notStored: Result = {
  error: 1,
  text: `The result was recorded, but the data was not stored: ${notStoredReason}`,
};
const malformed: Result = {
  error: 1,
  text: 'The result was recorded, but the data was not stored: half of a surrogate pair cannot be sent back in UTF-8',
};

/** In `Browse` and `Review`, nothing is recorded. */
async function change(ctx: TenantContext, session: Session, { unit, request }: HacpCommand): Promise<Result> {
  if (session.mode !== 'Normal') return { error: 0 };
  const { enroll_id: enrollId, unit_id: unitId, launch } = session;
  const before = await readUnitData(ctx, { enrollId, unitId });
  const data = changes.get(request.command)?.(before, request.data, unit);
  if (!data) return { error: 1, text: 'The data could not be read' };
  if (isSame(before, data)) return { error: 0 };
  const isDataOmitted = !request.data.isWellFormed();
  const isStored = await recordUnit(ctx, { enrollId, launch, unitId, data, isDataOmitted });
  return isStored ? { error: 0 } : isDataOmitted ? malformed : notStored;
}

function hasMoreLines(text: string, lines: number): boolean {
  const breaks = /[\r\n]/g;
  for (let count = 1; breaks.test(text); count++) if (count === lines) return true;
  return false;
}

function isSame(before: RunTimeData, after: RunTimeData): boolean {
  const names = Object.keys(after);
  return names.length === Object.keys(before).length && names.every((name) => before[name] === after[name]);
}
