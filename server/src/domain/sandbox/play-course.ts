import { playable } from '../../../../standards/evidence.ts';
import { reportsDirectly, traits } from '../../../../standards/traits.ts';
import type { Standard, Unit } from '../../../../standards/types.ts';
import { ownRows } from '../../db/own-rows.ts';
import { perMinute } from '../../infra/calls/limits.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { type PlayedRelease, playableContent } from '../catalogue/playable.ts';
import { admitUnits, openUnit } from '../delivery/player/open-sessions.ts';
import { answerHacp } from '../delivery/protocols/aicc/answer-hacp.ts';
import { writeAuToken } from '../delivery/protocols/cmi5/fetch-token.ts';
import { readEnrolment } from '../enrolments/list.ts';
import type { Enrolment } from '../enrolments/record/schemas.ts';
import { readLastCommits } from '../enrolments/record/units.ts';
import { readLastOpenings } from '../enrolments/run-time/au-sessions.ts';
import { commitProgress } from '../enrolments/run-time/progress.ts';
import { explain, type StartedLaunch, startLaunch } from '../enrolments/run-time/start.ts';
import { readParts } from '../paths/explain-parts.ts';
import { followPath } from '../paths/follow.ts';
import { openPart } from '../paths/open-part.ts';
import { requireTestTenant } from '../tenants/clock.ts';
import { storeScore } from '../tools/grades.ts';
import { findTool } from '../tools/tools.ts';
import { playAu } from './play-au.ts';
import { hacpMessage, robotData } from './robot-data.ts';
import type { Play } from './schemas.ts';

type Robot = { launch: StartedLaunch; standard: Standard; enrollId: string; result: Play };

/** Plays a course as its learner would: launches it, reports a result for each unit, and leaves. */
export async function playCourse(
  ctx: TenantContext,
  { enrollId, ...result }: Play & { enrollId: string },
): Promise<Enrolment> {
  await requireTestTenant(ctx);
  const { reason, LoginID: loginId, releaseId, isPath } = await explain(ctx, { enrollId });
  if (reason !== null) throw new Problem('launch_refused', reason);
  if (isPath) return playPath(ctx, { ...result, enrollId, loginId });
  const known = await playableContent(ctx, releaseId);
  // Reject before the launch is counted.
  if (reportsDirectly(known.standard))
    admitUnits(ctx, { enrollId }, Math.min(playable(known.tree.Units).length, maxUnits));
  const launch = await startLaunch(ctx, { enrollId, returnUrl: null, userAgent: 'Lectern robot' });
  const page = { url: launch.course_url ?? '', title: launch.course_title };
  const played = await playableContent(ctx, launch.release_id, page);
  const robot = { launch, standard: played.standard, enrollId, result };
  const play = reportsDirectly(played.standard) ? openUnits : commitUnits;
  await play(ctx, robot, await nextUnits(ctx, enrollId, played));
  return readEnrolment(ctx, { loginId, enrollId });
}

/** Plays each course of a path when it is due, once. */
async function playPath(
  ctx: TenantContext,
  { enrollId, loginId, ...result }: Play & { enrollId: string; loginId: string },
): Promise<Enrolment> {
  const played = new Set<string>();
  for (;;) {
    const { next } = await readParts(ctx, { enrollId });
    if (!next || played.has(next.CourseID)) break;
    played.add(next.CourseID);
    const opening = { enrollId, courseId: next.CourseID, returnUrl: null, userAgent: 'Lectern robot' };
    const part = await openPart(ctx, opening);
    if (part === null) break;
    await playCourse(ctx, { ...result, enrollId: part });
  }
  return readEnrolment(ctx, { loginId, enrollId }, { follow: followPath });
}

/** A learner can open this many units in a minute. Playing more would keep the tenant's other requests waiting. */
const maxUnits = perMinute.units.max;

/** Begins with the units that were never or least recently played. */
async function nextUnits(ctx: TenantContext, enrollId: string, played: PlayedRelease): Promise<Unit[]> {
  const last = await (reportsDirectly(played.standard) ? readLastOpenings : readLastCommits)(ctx, enrollId);
  const lastOf = ({ UnitID }: Unit) => last.get(UnitID) ?? 0;
  return playable(played.tree.Units)
    .toSorted((a, b) => lastOf(a) - lastOf(b))
    .slice(0, maxUnits);
}

async function openUnits(ctx: TenantContext, robot: Robot, units: Unit[]): Promise<void> {
  const { launch, enrollId, standard, result } = robot;
  const handle = {
    tenantId: ctx.tenantId,
    enrollId,
    launch: launch.launches,
    launchId: launch.launch_id,
    courseId: launch.course_id,
  };
  for (const unit of units) await players[traits[standard].reports](ctx, { handle, unit, play: result });
}

async function commitUnits(
  ctx: TenantContext,
  { launch, standard, enrollId, result }: Robot,
  units: Unit[],
): Promise<void> {
  for (const [n, unit] of units.entries())
    await commitProgress(ctx, {
      enrollId,
      launch: launch.launches,
      launchId: launch.launch_id,
      number: launch.commits + 1 + n,
      unitId: unit.UnitID,
      data: robotData(standard, unit, result),
      treeState: null,
      root: null,
      exit: n === units.length - 1,
      ...{ isDataOmitted: false, refused: [] },
    });
}

async function playAicc(
  ctx: TenantContext,
  { handle, unit, play }: Parameters<typeof playAu>[1],
): Promise<void> {
  const opened = await openUnit(ctx, handle, { UnitID: unit.UnitID });
  const token = writeAuToken(ctx, 'hacp', { ...handle, sessionId: opened.SessionID });
  for (const command of ['PutParam', 'ExitAU'])
    await answerHacp(
      ctx,
      token,
      Buffer.from(
        new URLSearchParams({
          command,
          version: '4.0',
          session_id: opened.SessionID,
          aicc_data: command === 'PutParam' ? hacpMessage(play) : '',
        }).toString(),
      ),
    );
}

async function playTool(
  ctx: TenantContext,
  { handle, unit, play }: Parameters<typeof playAu>[1],
): Promise<void> {
  await openUnit(ctx, handle, { UnitID: unit.UnitID });
  const tool = await findTool(ctx, handle);
  const { user_id: userId } = await ownRows(ctx, 'enrolment', { enroll_id: handle.enrollId })
    .select('user_id')
    .executeTakeFirstOrThrow();
  if (!tool || userId === null) return;
  const { Status, Score } = play;
  await storeScore(ctx, tool, {
    userId,
    timestamp: tenantNow(ctx).toISOString(),
    activity: Status === 'incomplete' ? 'InProgress' : 'Completed',
    grading: 'FullyGraded',
    scaled: Score === undefined ? null : Score / 100,
  });
}

const players = { api: playAu, page: playAu, statements: playAu, hacp: playAicc, scores: playTool };
