import type { Context } from '../../platform/context.ts';
import { Problem } from '../../platform/errors.ts';
import { inTurn } from '../../platform/turns.ts';
import { explain } from '../enrolments/explain.ts';
import { keepLaunchAlive, readLaunchState } from '../enrolments/launches.ts';
import { commitProgress } from '../enrolments/progress.ts';
import { type StartedLaunch, startLaunch } from '../enrolments/start.ts';
import { addressTree } from '../standards/web.ts';
import { refuseSuspended } from '../tenants/suspension.ts';
import { knownTenant } from '../tenants/tenants.ts';
import { frameAncestors } from './framing.ts';
import type { Commit, Receipt, Session } from './schemas.ts';
import { toSession, withWayBack } from './session.ts';
import type { Opening, Sitting } from './sitting.ts';
import { playerOf, type SessionHandle, type Ticket, writeSession } from './tokens.ts';

/** A click is decided again when its page is loaded later than this. */
const decisionHolds = 60_000;

const beingOpened = 'This course is being opened too many times simultaneously. Retry in 1 second.';

/** Opens the session of a decided click: one statement. */
export function launchOpening(ctx: Context, ticket: Ticket): Opening {
  return {
    player: playerOf(ticket),
    framing: async () => frameAncestors(await knownTenant.get(ctx, ticket.tenantId)),
    open: (userAgent) => withWayBack(ticket.returnUrl, decideAndStart(ctx, ticket, userAgent)),
  };
}

export function launchSitting(ctx: Context, handle: SessionHandle): Sitting {
  const tenantCtx = { ...ctx, tenantId: handle.tenantId };
  return {
    player: playerOf(handle),
    commit: (body) => commit(ctx, handle, body),
    standing: () => readLaunchState(tenantCtx, handle),
    keepAlive: () => keepLaunchAlive(tenantCtx, handle),
  };
}

async function decideAndStart(ctx: Context, ticket: Ticket, userAgent: string | null): Promise<Session> {
  const tenantCtx = { ...ctx, tenantId: ticket.tenantId };
  await refuseSuspended(ctx, ticket.tenantId);
  if (ctx.now().getTime() - ticket.at > decisionHolds) {
    const { reason } = await explain(tenantCtx, ticket);
    if (reason !== null) throw new Problem('launch_refused', reason);
  }
  const input = {
    enrollId: ticket.enrollId,
    returnUrl: ticket.returnUrl,
    userAgent: userAgent?.slice(0, 500) ?? null,
  };
  // One at a time: each may read and send megabytes.
  const start = async () => sessionOf(ctx, ticket, await startLaunch(tenantCtx, input));
  return (
    inTurn(ctx.admission.openings, playerOf(ticket).sitting, start) ??
    Promise.reject(new Problem('too_many_requests', beingOpened, { retryAfter: 1 }))
  );
}

function sessionOf(ctx: Context, ticket: Ticket, launch: StartedLaunch): Session {
  const { tenantId, enrollId, returnUrl, courseId } = ticket;
  const name = [launch.last_name, launch.first_name].filter(Boolean).join(', ');
  return toSession({
    token: writeSession(ctx, {
      tenantId,
      enrollId,
      launch: launch.launches,
      launchId: launch.launch_id,
      courseId,
    }),
    isPreview: false,
    enrollId,
    launch: launch.launches,
    title: launch.course_title,
    language: launch.course_language,
    learner: { ID: launch.login_id, Name: name || launch.login_id },
    played: {
      standard: launch.standard ?? 'web',
      tree: launch.tree ?? addressTree(launch.course_url ?? '', launch.course_title),
    },
    releaseId: launch.release_id,
    units: launch.units ?? {},
    treeState: launch.tree_state,
    lastUnitId: launch.last_unit_id,
    returnUrl,
    receipt: {
      Number: launch.commits,
      Status: launch.status,
      Completion: launch.completion as Receipt['Completion'],
      Success: launch.success as Receipt['Success'],
      Score: launch.score,
      Progress: launch.progress,
      Ended: null,
    },
  });
}

/** Text that JSON in PostgreSQL can hold; content writes what it likes, and a commit must not fail for it. */
function storable(text: string): string {
  return text.replaceAll('\0', '\u{FFFD}').toWellFormed();
}

/** Takes a commit of a session's page. The receipt means that the database has it. */
function commit(ctx: Context, handle: SessionHandle, body: Commit): Promise<Receipt> {
  const data = Object.entries(body.Data).map(([name, value]) => [storable(name), storable(value)]);
  return commitProgress(
    { ...ctx, tenantId: handle.tenantId },
    {
      enrollId: handle.enrollId,
      launch: handle.launch,
      launchId: handle.launchId,
      number: body.Number,
      unitId: storable(body.UnitID),
      data: Object.fromEntries(data),
      treeState: body.Tree === undefined ? null : storable(body.Tree),
      root: body.Root ?? null,
      exit: body.Exit ?? false,
    },
  );
}
