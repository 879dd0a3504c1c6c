import type { FastifyRequest } from 'fastify';
import { traits } from '../../../../../standards/traits.ts';
import { forTenant } from '../../../db/transaction.ts';
import { countWithin } from '../../../infra/calls/limits.ts';
import { createCache } from '../../../infra/context/cache.ts';
import type { Context, TenantContext } from '../../../infra/context/context.ts';
import { invalid, Problem } from '../../../lib/errors.ts';
import { isStorable } from '../../../lib/unicode.ts';
import { type PlayedRelease, playableContent, unitOf, withTimeFactor } from '../../catalogue/playable.ts';
import { readUnitsWithData } from '../../enrolments/record/units.ts';
import { readShared } from '../../enrolments/run-time/commit-data.ts';
import { commitProgress } from '../../enrolments/run-time/progress.ts';
import { sessionEnds } from '../../enrolments/run-time/progress-cache.ts';
import { readResults } from '../../enrolments/run-time/read-results.ts';
import {
  explain,
  keepLaunchAlive,
  type LaunchState,
  readLatestLaunch,
  readLaunchState,
  type StartedLaunch,
  startLaunch,
} from '../../enrolments/run-time/start.ts';
import { knownTenant, rejectSuspended } from '../../tenants/tenants.ts';
import { timeFactorOf } from '../../users/users.ts';
import { openAicc } from '../protocols/aicc/open-aicc.ts';
import { type AuHandle, readAuToken, writeAuToken } from '../protocols/cmi5/fetch-token.ts';
import { type AuAddresses, type OpenedAu, openAu } from '../protocols/cmi5/open-au.ts';
import { openTool } from '../protocols/lti/open-tool.ts';
import { contentOrigin, type OriginOwner } from './content-origins.ts';
import { frameAncestors } from './framing.ts';
import type { AuOpening, Opened, Opening, OpenSession } from './open-session.ts';
import { previewOpening, previewSession } from './preview-session.ts';
import { readPreviewLink, readPreviewSession, readPreviewTicket } from './preview-tokens.ts';
import { withPage } from './refusals.ts';
import { reviewOpening, reviewSession } from './review-session.ts';
import { readReviewSession, readReviewTicket } from './review-tokens.ts';
import type { Commit, Receipt, Session } from './schemas.ts';
import { filesPath, toSession, withReturnUrl } from './session.ts';
import {
  type FilesHandle,
  playerOf,
  readFilesToken,
  readSession,
  readTicket,
  type SessionHandle,
  type Ticket,
  writeFilesToken,
  writeSession,
} from './tokens.ts';

/**
 * Returns the owner of the content to which a link, ticket or session gives access. Returns null if
 * the token is forged or has expired.
 */
export function ownerOf(ctx: Context, token: string): OriginOwner | null {
  const launch =
    readTicket(ctx, token) ??
    readSession(ctx, token) ??
    readFilesToken(ctx, token) ??
    readReviewTicket(ctx, token) ??
    readReviewSession(ctx, token);
  if (launch) return { ...launch, use: 'launch' };
  const au = readAuToken(ctx, token);
  if (au) return { ...au, use: 'launch' };
  const preview =
    readPreviewTicket(ctx, token) ?? readPreviewSession(ctx, token) ?? readPreviewLink(ctx, token);
  return preview && { ...preview, use: 'preview' };
}

/**
 * Finds the kind of session by the purpose for which the token was sealed. Returns null if the
 * token is forged or has expired.
 */
export function findOpening(ctx: Context, token: string): Opening | null {
  const ticket = readTicket(ctx, token);
  if (ticket) return launchOpening(forTenant(ctx, ticket.tenantId), ticket);
  const review = readReviewTicket(ctx, token);
  if (review) return reviewOpening(forTenant(ctx, review.tenantId), review);
  const preview = readPreviewTicket(ctx, token);
  return preview && previewOpening(ctx, preview);
}

export function findOpenSession(ctx: Context, token: string): OpenSession {
  const files = readFilesToken(ctx, token);
  if (files) return filesSession(forTenant(ctx, files.tenantId), files);
  const launch = readSession(ctx, token);
  if (launch) return launchSession(forTenant(ctx, launch.tenantId), launch);
  const au = readAuToken(ctx, token);
  if (au) return auTokenSession(forTenant(ctx, au.tenantId), au);
  const review = readReviewSession(ctx, token);
  if (review) return reviewSession(forTenant(ctx, review.tenantId), review);
  const preview = readPreviewSession(ctx, token);
  if (preview) return previewSession(ctx, preview);
  throw new Problem('session_ended', 'This player session does not exist. Open the course again.');
}

/** If the page requests its session later than this, the launch decision is made again. */
const decisionMilliseconds = 60_000;

/** Opens the session for an allowed click. This takes one statement, unless the session is large. */
function launchOpening(ctx: TenantContext, ticket: Ticket): Opening {
  return {
    player: playerOf(ticket),
    framing: async () => frameAncestors(await knownTenant.get(ctx, ticket.tenantId)),
    open: (request) =>
      withReturnUrl(ticket.returnUrl, withPage(ctx, request, ticket, decideAndStart(ctx, request, ticket))),
  };
}

function launchSession(ctx: TenantContext, handle: SessionHandle): OpenSession {
  return {
    player: playerOf(handle),
    commit: async (body) => {
      const receipt = await commit(ctx, handle, body);
      if (body.Exit) latestLaunches.forget(ctx, playerOf(handle).budget);
      return receipt;
    },
    state: () => readLaunchState(ctx, handle),
    keepAlive: () => keepLaunchAlive(ctx, handle),
    openAu: (body) => {
      admitUnits(ctx, handle);
      return openUnit(ctx, handle, body);
    },
    results: () => readResults(ctx, handle),
  };
}

/** Limits how often this node opens units of an enrolment that report directly to the service. */
export function admitUnits(ctx: TenantContext, { enrollId }: { enrollId: string }, count = 1): void {
  countWithin(ctx, 'units', `${ctx.tenantId} ${enrollId}`, count);
}

/**
 * Opens a unit that reports directly to the service, with the protocol of its standard. `admitUnits` must have
 * allowed it.
 */
export async function openUnit(
  ctx: TenantContext,
  handle: SessionHandle,
  { UnitID, LaunchMode }: AuOpening,
): Promise<OpenedAu> {
  const { ended, releaseId } = await readLaunchState(ctx, handle);
  if (ended !== null) throw new Problem(ended, sessionEnds[ended]);
  const played = await playableContent(ctx, releaseId);
  const unit = unitOf(played, UnitID);
  if (unit.Kind !== 'au')
    throw invalid('UnitID', 'This unit does not report directly to the service, so it needs no session.');
  const addresses = (session: AuHandle) => auAddresses(ctx, session, releaseId);
  const { reports } = traits[played.standard];
  const open = reports === 'hacp' ? openAicc : reports === 'scores' ? openTool : openAu;
  return open(ctx, { ...handle, played, unit, launchMode: LaunchMode ?? null, addresses });
}

const endedSession = async () => {
  throw new Problem('session_ended', sessionEnds.session_ended);
};

const filesOnly = {
  commit: endedSession,
  keepAlive: endedSession,
  openAu: endedSession,
  results: endedSession,
} as const;

/** A session for an AU's token. It gives access only to the files of the AU's launch. */
function auTokenSession(ctx: TenantContext, handle: AuHandle): OpenSession {
  return { ...filesOnly, player: playerOf(handle), state: () => readLaunchState(ctx, handle) };
}

const latestLaunches = createCache<LaunchState>({
  name: 'latest_launches',
  milliseconds: 10_000,
  max: 20_000,
  load: (ctx, key) => {
    const [tenantId, enrollId] = key.split(' ') as [string, string];
    return readLatestLaunch(forTenant(ctx, tenantId), enrollId);
  },
});

/** Gives access to the files of a release while the enrolment's latest launch plays it. */
function filesSession(ctx: TenantContext, handle: FilesHandle): OpenSession {
  const player = playerOf(handle);
  return {
    ...filesOnly,
    player,
    state: async () => {
      const latest = await latestLaunches.get(ctx, player.budget);
      return latest.releaseId === handle.releaseId ? latest : { ...latest, ended: 'session_ended' };
    },
  };
}

function auAddresses(ctx: Context, session: AuHandle, releaseId: string | null): ReturnType<AuAddresses> {
  const origin = contentOrigin(ctx, { use: 'launch', ...session });
  const files = releaseId === null ? '/' : filesPath(writeFilesToken(ctx, { ...session, releaseId }));
  const own = `${origin}/play/${writeAuToken(ctx, 'content', session)}`;
  const fetch = `${origin}/play/${writeAuToken(ctx, 'fetch', session)}/fetch`;
  const hacp = `${origin}/play/${writeAuToken(ctx, 'hacp', session)}/hacp`;
  return { files: origin + files, returned: `${own}/returned`, fetch, hacp };
}

async function decideAndStart(ctx: TenantContext, request: FastifyRequest, ticket: Ticket): Promise<Opened> {
  const { tenantId } = ticket;
  await rejectSuspended(ctx, tenantId);
  if (ctx.now().getTime() - ticket.at > decisionMilliseconds) {
    const { reason } = await explain(ctx, ticket);
    if (reason !== null) throw new Problem('launch_refused', reason);
  }
  const input = {
    enrollId: ticket.enrollId,
    returnUrl: ticket.returnUrl,
    userAgent: request.headers['user-agent']?.slice(0, 500) ?? null,
  };
  const launch = await startLaunch(ctx, input);
  latestLaunches.forget(ctx, playerOf(ticket).budget);
  const page = { url: launch.course_url ?? '', title: launch.course_title };
  const factor = timeFactorOf(launch.time_factor ?? launch.user_time_factor);
  const played = withTimeFactor(await playableContent(ctx, launch.release_id, page), factor);
  const shared = await readShared(ctx, {
    userId: launch.user_id,
    courseId: launch.course_id,
    course: played.course,
  });
  if (!launch.has_more_units)
    return sessionOf(ctx, ticket, { launch, played, shared, units: launch.units ?? {} });
  const begun = await readUnitsWithData(ctx, ticket.enrollId);
  const units = Object.fromEntries(begun.map(({ unit_id, ...unit }) => [unit_id, unit]));
  return sessionOf(ctx, ticket, { launch, played, shared, units });
}

type Start = {
  launch: StartedLaunch;
  played: PlayedRelease;
  shared: Session['Shared'];
  units: NonNullable<StartedLaunch['units']>;
};

function sessionOf(ctx: Context, ticket: Ticket, { launch, played, shared, units }: Start): Promise<Session> {
  const { tenantId, enrollId, returnUrl, courseId } = ticket;
  const name = [launch.last_name, launch.first_name].filter(Boolean).join(', ');
  return toSession(ctx, {
    token: writeSession(ctx, {
      tenantId,
      enrollId,
      launch: launch.launches,
      launchId: launch.launch_id,
      courseId,
    }),
    tenantId,
    mode: 'normal',
    enrollId,
    launch: launch.launches,
    title: launch.course_title,
    language: launch.course_language,
    learner: { ID: launch.login_id, Name: name || launch.login_id },
    played,
    filesToken:
      launch.release_id === null
        ? null
        : writeFilesToken(ctx, { tenantId, enrollId, courseId, releaseId: launch.release_id }),
    units,
    treeState: launch.tree_state,
    shared,
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

/**
 * Accepts a commit from a session's page. The receipt confirms that the commit is in the database, with every
 * character that the content wrote.
 */
function commit(ctx: TenantContext, handle: SessionHandle, body: Commit): Promise<Receipt> {
  if (!isStorable(body.Tree ?? ''))
    throw invalid('Tree', 'Tree must be JSON, which has no raw null characters.');
  return commitProgress(ctx, {
    enrollId: handle.enrollId,
    launch: handle.launch,
    launchId: handle.launchId,
    number: body.Number,
    unitId: body.UnitID,
    data: body.Data,
    ...(body.Base && { base: { number: body.Base.Number, removed: body.Base.Removed ?? [] } }),
    treeState: body.Tree ?? null,
    root: body.Root ?? null,
    exit: body.Exit ?? false,
    isDataOmitted: body.DataOmitted ?? false,
    refused: body.Refused ?? [],
  });
}
