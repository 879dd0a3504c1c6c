import { addressTree } from '../../../../standards/web.ts';
import type { Context } from '../../platform/context.ts';
import { Problem } from '../../platform/errors.ts';
import { inTurn } from '../../platform/turns.ts';
import { explain } from '../enrolments/explain.ts';
import { keepLaunchAlive, readLaunchState } from '../enrolments/launches.ts';
import { commitProgress } from '../enrolments/progress.ts';
import { type StartedLaunch, startLaunch } from '../enrolments/start.ts';
import { refuseSuspended } from '../tenants/suspension.ts';
import { knownTenant } from '../tenants/tenants.ts';
import type { OriginOwner } from './content-origins.ts';
import { frameAncestors } from './framing.ts';
import { previewOpening, previewSitting } from './preview-sitting.ts';
import { readPreviewLink, readPreviewSession, readPreviewTicket } from './preview-tokens.ts';
import type { Commit, Receipt, Session } from './schemas.ts';
import { toSession, withWayBack } from './session.ts';
import type { Opening, Sitting } from './sitting.ts';
import {
  playerOf,
  readSession,
  readTicket,
  type SessionHandle,
  type Ticket,
  writeSession,
} from './tokens.ts';

/** Whose content a link, ticket or session is for; null if it is not one of ours or has expired. */
export function ownerOf(ctx: Context, token: string): OriginOwner | null {
  const launch = readTicket(ctx, token) ?? readSession(ctx, token);
  if (launch) return { ...launch, use: 'launch' };
  const preview =
    readPreviewTicket(ctx, token) ?? readPreviewSession(ctx, token) ?? readPreviewLink(ctx, token);
  return preview && { ...preview, use: 'preview' };
}

/**
 * The kind follows from the purpose for which the token was sealed; null if it is not one of ours or has
 * expired.
 */
export function openingOf(ctx: Context, token: string): Opening | null {
  const ticket = readTicket(ctx, token);
  if (ticket) return launchOpening(ctx, ticket);
  const preview = readPreviewTicket(ctx, token);
  return preview && previewOpening(ctx, preview);
}

export function sittingOf(ctx: Context, token: string): Sitting {
  const launch = readSession(ctx, token);
  if (launch) return launchSitting(ctx, launch);
  const preview = readPreviewSession(ctx, token);
  if (preview) return previewSitting(ctx, preview);
  throw new Problem('session_ended', 'This player session does not exist. Open the course again.');
}

/** A click is evaluated again when its page loads later than this. */
const decisionHolds = 60_000;

const beingOpened = 'This course is being opened too many times simultaneously. Retry in 1 second.';

/** Opens the session for an allowed click, in one statement. */
function launchOpening(ctx: Context, ticket: Ticket): Opening {
  return {
    player: playerOf(ticket),
    framing: async () => frameAncestors(await knownTenant.get(ctx, ticket.tenantId)),
    open: (userAgent) => withWayBack(ticket.returnUrl, decideAndStart(ctx, ticket, userAgent)),
  };
}

function launchSitting(ctx: Context, handle: SessionHandle): Sitting {
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
      Completion: launch.completion,
      Success: launch.success,
      Score: launch.score,
      Progress: launch.progress,
      Ended: null,
    },
  });
}

/** Makes text safe for JSON in PostgreSQL: a commit must not fail because of what content writes. */
function storable(text: string): string {
  return text.replaceAll('\0', '\u{FFFD}').toWellFormed();
}

/** Accepts a commit from a session's page. The receipt confirms that it is in the database. */
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
