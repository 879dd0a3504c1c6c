import type { Context } from '../../platform/context.ts';
import { Problem } from '../../platform/errors.ts';
import { explain } from '../enrolments/explain.ts';
import { type StartedLaunch, startLaunch } from '../enrolments/start.ts';
import { resume } from '../standards/evidence.ts';
import type { CourseTree, RunTimeData, Standard, Unit } from '../standards/types.ts';
import { addressTree } from '../standards/web.ts';
import type { Session } from './schemas.ts';
import { type Ticket, writeSession } from './tokens.ts';

/** A click is decided again when its page is loaded later than this. */
const decisionHolds = 60_000;

/** Opens the session of a decided click: one statement. A refusal carries the way back. */
export async function openSession(ctx: Context, ticket: Ticket, userAgent: string | null): Promise<Session> {
  return decideAndStart(ctx, ticket, userAgent).catch((error: unknown) => {
    if (!(error instanceof Problem)) throw error;
    throw new Problem(error.code, error.message, { ...error.extras, ReturnURL: ticket.returnUrl });
  });
}

async function decideAndStart(ctx: Context, ticket: Ticket, userAgent: string | null): Promise<Session> {
  const tenantCtx = { ...ctx, tenantId: ticket.tenantId };
  if (ctx.now().getTime() - ticket.at > decisionHolds) {
    const { reason } = await explain(tenantCtx, ticket);
    if (reason !== null) throw new Problem('launch_refused', reason);
  }
  const launch = await startLaunch(tenantCtx, {
    enrollId: ticket.enrollId,
    returnUrl: ticket.returnUrl,
    userAgent: userAgent?.slice(0, 500) ?? null,
  });
  return toSession(ctx, ticket, launch);
}

function unitsOf(units: Unit[]): Unit[] {
  return units.flatMap((unit) => [unit, ...unitsOf(unit.Children)]);
}

function toSession(ctx: Context, ticket: Ticket, launch: StartedLaunch): Session {
  const standard: Standard = launch.standard ?? 'web';
  const tree: CourseTree = launch.tree ?? addressTree(launch.course_url ?? '', launch.course_title);
  const token = writeSession(ctx, {
    tenantId: ticket.tenantId,
    enrollId: ticket.enrollId,
    launch: launch.launches,
  });
  const name = [launch.last_name, launch.first_name].filter(Boolean).join(', ');
  const learner = { ID: launch.login_id, Name: name || launch.login_id };
  const data: Record<string, RunTimeData> = {};
  for (const unit of unitsOf(tree.Units))
    if (unit.Kind !== null)
      data[unit.UnitID] = resume(standard, unit, launch.units?.[unit.UnitID]?.data ?? {}, learner);
  return {
    Session: token,
    Launch: launch.launches,
    NextCommit: launch.commits + 1,
    EnrollID: launch.enroll_id,
    CourseTitle: launch.course_title,
    Language: launch.course_language,
    Learner: learner,
    Standard: standard,
    Tree: tree,
    ContentPath: launch.release_id === null ? null : `/play/${token}/content/`,
    Data: data,
    Evidence: Object.fromEntries(
      Object.entries(launch.units ?? {}).map(([unitId, unit]) => [unitId, unit.evidence]),
    ),
    TreeState: launch.tree_state,
    LastUnitID: launch.last_unit_id,
    ReturnURL: ticket.returnUrl,
    Receipt: {
      Number: launch.commits,
      Status: launch.status,
      Completion: launch.completion as Session['Receipt']['Completion'],
      Success: launch.success as Session['Receipt']['Success'],
      Score: launch.score,
      Progress: launch.progress,
    },
  };
}
