import { nothing } from '../../../../../standards/evidence.ts';
import { type Results, resultsWith } from '../../../../../standards/results.ts';
import type { Context } from '../../../infra/context/context.ts';
import { invalid, Problem } from '../../../lib/errors.ts';
import { findPlayable, playableContent, unitOf } from '../../catalogue/playable.ts';
import type { LaunchState } from '../../enrolments/run-time/start.ts';
import { knownTenant, rejectSuspended } from '../../tenants/tenants.ts';
import { frameAncestors } from './framing.ts';
import type { Opened, Opening, OpenSession } from './open-session.ts';
import {
  type PreviewHandle,
  type PreviewTicket,
  previewEndsAt,
  previewPlayerOf,
  readResults,
  writePreviewSession,
  writeResults,
} from './preview-tokens.ts';
import type { Commit, Receipt } from './schemas.ts';
import { toSession, withReturnUrl } from './session.ts';

/** The ID and name of the learner that the course sees. */
const learner = { ID: 'preview', Name: 'Preview' };

/** Returns the origins that may frame a preview. An operator's preview has nothing to protect. */
export async function previewFraming(ctx: Context, tenantId: string | null): Promise<string> {
  return tenantId === null ? '*' : frameAncestors(await knownTenant.get(ctx, tenantId));
}

export function previewOpening(ctx: Context, ticket: PreviewTicket): Opening {
  return {
    player: previewPlayerOf(ticket),
    framing: () => previewFraming(ctx, ticket.tenantId),
    open: () => withReturnUrl(ticket.returnUrl, begin(ctx, ticket)),
  };
}

/** Behaves like a first launch, but writes nothing. */
export function previewSession(ctx: Context, handle: PreviewHandle): OpenSession {
  const state = async (): Promise<LaunchState> => ({
    ended: ctx.now().getTime() < handle.until ? null : 'session_ended',
    releaseId: handle.releaseId,
  });
  const player = previewPlayerOf(handle);
  const noResults = async () => {
    throw new Problem(
      'course_not_playable',
      'This course reports directly to the service, so it cannot be previewed. Enrol a test user instead.',
    );
  };
  return {
    ...{ player, commit: (body: Commit) => commit(ctx, handle, body), state, keepAlive: state },
    ...{ openAu: noResults, results: noResults },
  };
}

async function begin(ctx: Context, ticket: PreviewTicket): Promise<Opened> {
  const { courseId, tenantId } = ticket;
  await rejectSuspended(ctx, tenantId);
  const { title, language, url, releaseId } = await findPlayable(ctx, ticket);
  const played = await playableContent(ctx, releaseId, { url: url ?? '', title });
  const token = writePreviewSession(ctx, { courseId, tenantId, releaseId, until: previewEndsAt(ticket) });
  return toSession(ctx, {
    token,
    tenantId,
    mode: 'preview',
    enrollId: '',
    launch: 1,
    title,
    language,
    learner,
    played,
    filesToken: releaseId === null ? null : token,
    units: {},
    treeState: null,
    shared: { globals: [], buckets: [] },
    lastUnitId: null,
    returnUrl: ticket.returnUrl,
    receipt: receiptOf(ctx, 0, { units: {}, course: nothing }),
  });
}

/** Evaluates a commit like a learner's. Earlier results come from the page's last receipt. */
async function commit(ctx: Context, handle: PreviewHandle, body: Commit): Promise<Receipt> {
  if (ctx.now().getTime() >= handle.until) throw new Problem('session_ended', 'The preview has ended.');
  const before = body.Preview === undefined ? { units: {}, course: nothing } : readResults(ctx, body.Preview);
  if (!before) throw invalid('Preview', 'Send Preview exactly as in the last receipt.');
  if (body.Base)
    throw new Problem('commit_base_unknown', 'A preview stores no data. Send all data and no Base.', {
      param: 'Base',
    });
  const played = await playableContent(ctx, handle.releaseId);
  const change = {
    unit: unitOf(played, body.UnitID),
    data: body.Data,
    root: body.Root ?? null,
    treeState: body.Tree ?? null,
  };
  const { units, course } = resultsWith(played, before, change);
  return receiptOf(ctx, body.Number, { units, course });
}

function receiptOf(ctx: Context, number: number, results: Results): Receipt {
  const { TotalSeconds: _, ...course } = results.course;
  const Status = course.Completion === 'completed' ? 'completed' : 'in_progress';
  return { Number: number, Status, ...course, Ended: null, Preview: writeResults(ctx, results) };
}
