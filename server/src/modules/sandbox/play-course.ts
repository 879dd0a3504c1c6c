import { playable } from '../../../../standards/evidence.ts';
import type { Unit } from '../../../../standards/types.ts';
import type { TenantContext } from '../../platform/context.ts';
import { Problem } from '../../platform/errors.ts';
import { answerHacp } from '../aicc/answer-hacp.ts';
import { type PlayedRelease, playedBy } from '../catalogue/playable.ts';
import { writeAuToken } from '../cmi5/au-tokens.ts';
import { explain } from '../enrolments/launch-decision.ts';
import { commitProgress } from '../enrolments/progress.ts';
import { readEnrolment } from '../enrolments/read.ts';
import type { Enrolment } from '../enrolments/schemas.ts';
import { type StartedLaunch, startLaunch } from '../enrolments/start.ts';
import { openUnit } from '../player/open-sessions.ts';
import { requireTestTenant } from '../tenants/clock.ts';
import { hacpMessage, robotData } from './robot-data.ts';
import type { Play } from './schemas.ts';

type Robot = { launch: StartedLaunch; played: PlayedRelease; enrollId: string; result: Play };

/** Plays a course as its learner would: launches it, reports a result for each unit, and leaves. */
export async function playCourse(
  ctx: TenantContext,
  { enrollId, ...result }: Play & { enrollId: string },
): Promise<Enrolment> {
  await requireTestTenant(ctx);
  const { reason, LoginID: loginId } = await explain(ctx, { enrollId });
  if (reason !== null) throw new Problem('launch_refused', reason);
  const launch = await startLaunch(ctx, { enrollId, returnUrl: null, userAgent: 'Lectern robot' });
  const page = { url: launch.course_url ?? '', title: launch.course_title };
  const played = await playedBy(ctx, launch.release_id, page);
  if (played.standard === 'cmi5' || played.standard === 'xapi')
    throw new Problem(
      'robot_unsupported',
      'The robot cannot play courses that report through xAPI. Play the course in a browser.',
    );
  const units = playable(played.tree.Units);
  const robot = { launch, played, enrollId, result };
  for (const [n, unit] of units.entries())
    if (played.standard === 'aicc') await playAicc(ctx, robot, unit);
    else await playUnit(ctx, robot, { unit, n, isLast: n === units.length - 1 });
  return readEnrolment(ctx, { loginId, enrollId });
}

async function playUnit(
  ctx: TenantContext,
  { launch, played, enrollId, result }: Robot,
  { unit, n, isLast }: { unit: Unit; n: number; isLast: boolean },
): Promise<void> {
  await commitProgress(ctx, {
    enrollId,
    launch: launch.launches,
    launchId: launch.launch_id,
    number: launch.commits + 1 + n,
    unitId: unit.UnitID,
    data: robotData(played.standard, unit, result),
    treeState: null,
    root: null,
    exit: isLast,
    isComplete: true,
  });
}

async function playAicc(ctx: TenantContext, { launch, enrollId, result }: Robot, unit: Unit): Promise<void> {
  const handle = {
    tenantId: ctx.tenantId,
    enrollId,
    launch: launch.launches,
    launchId: launch.launch_id,
    courseId: launch.course_id,
  };
  const opened = await openUnit(ctx, { ...handle, isComplete: true }, { UnitID: unit.UnitID });
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
          aicc_data: command === 'PutParam' ? hacpMessage(result) : '',
        }).toString(),
      ),
    );
}
