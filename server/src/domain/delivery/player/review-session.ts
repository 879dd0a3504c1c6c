import { ownRows } from '../../../db/own-rows.ts';
import { type TenantContext, tenantNow } from '../../../infra/context/context.ts';
import { Problem } from '../../../lib/errors.ts';
import { playableContent } from '../../catalogue/playable.ts';
import { enrolmentNotFound, selectEnrolments, toEnrolment } from '../../enrolments/record/record.ts';
import { readUnitsWithData } from '../../enrolments/record/units.ts';
import { readShared } from '../../enrolments/run-time/commit-data.ts';
import { accessEnd } from '../../enrolments/run-time/progress-cache.ts';
import { admitLaunch, explain, type LaunchState } from '../../enrolments/run-time/start.ts';
import { knownTenant, rejectSuspended } from '../../tenants/tenants.ts';
import { frameAncestors } from './framing.ts';
import type { Opened, Opening, OpenSession } from './open-session.ts';
import { withPage } from './refusals.ts';
import { type ReviewHandle, reviewUntil, writeReviewSession } from './review-tokens.ts';
import type { Commit, Receipt } from './schemas.ts';
import { toSession, withReturnUrl } from './session.ts';
import { playerOf, type Ticket } from './tokens.ts';

/** Opens the latest attempt of an enrolment for review. Nothing is recorded, not even the launch. */
export function reviewOpening(ctx: TenantContext, ticket: Ticket): Opening {
  return {
    player: playerOf(ticket),
    framing: async () => frameAncestors(await knownTenant.get(ctx, ticket.tenantId)),
    open: (request) => withReturnUrl(ticket.returnUrl, withPage(ctx, request, ticket, begin(ctx, ticket))),
  };
}

export function reviewSession(ctx: TenantContext, handle: ReviewHandle): OpenSession {
  const state = () => readState(ctx, handle);
  const noResults = async () => {
    throw new Problem(
      'course_not_playable',
      'This course reports directly to the service, so it cannot be opened for review.',
    );
  };
  return {
    ...{ player: playerOf(handle), state, keepAlive: state, openAu: noResults, results: noResults },
    commit: (body) => confirm(ctx, handle, body),
  };
}

function readEnrolment(ctx: TenantContext, enrollId: string) {
  return selectEnrolments(ctx)
    .select(['user.first_name', 'user.last_name', 'user.enabled', 'course.url', 'course.language'])
    .where('enrolment.enroll_id', '=', enrollId)
    .executeTakeFirst();
}

/** Reads where the learner left the course. */
function readPosition(ctx: TenantContext, enrollId: string) {
  return ownRows(ctx, 'attempt', { enroll_id: enrollId })
    .select(['tree_state', 'last_unit_id'])
    .executeTakeFirst();
}

async function readState(ctx: TenantContext, handle: ReviewHandle): Promise<LaunchState> {
  const { releaseId } = handle;
  if (ctx.now().getTime() >= handle.until) return { ended: 'session_ended', releaseId };
  const row = await readEnrolment(ctx, handle.enrollId);
  if (!row) return { ended: 'session_ended', releaseId };
  // After a reset or in a new attempt, the learner may play another release.
  const ended = accessEnd(row, tenantNow(ctx)) ?? (row.release_id === releaseId ? null : 'session_ended');
  return { ended, releaseId };
}

async function begin(ctx: TenantContext, ticket: Ticket): Promise<Opened> {
  const { tenantId, enrollId, courseId } = ticket;
  await rejectSuspended(ctx, tenantId);
  admitLaunch(ctx, ticket);
  const { reason, mayReview } = await explain(ctx, ticket);
  if (!mayReview)
    throw new Problem('launch_refused', reason ?? 'The course can be started again. Open it with its link.');
  const row = await readEnrolment(ctx, enrollId);
  if (!row) throw enrolmentNotFound();
  const { release_id: releaseId, course_title: title, login_id: ID } = row;
  const played = await playableContent(ctx, releaseId, { url: row.url ?? '', title });
  const begun = await readUnitsWithData(ctx, enrollId);
  const position = await readPosition(ctx, enrollId);
  const name = [row.last_name, row.first_name].filter(Boolean).join(', ');
  const token = writeReviewSession(ctx, {
    tenantId,
    enrollId,
    courseId,
    releaseId,
    until: reviewUntil(ticket),
  });
  return toSession(ctx, {
    token,
    tenantId,
    mode: 'review',
    enrollId,
    launch: row.launches,
    title,
    language: row.language,
    learner: { ID, Name: name || ID },
    played,
    filesToken: releaseId === null ? null : token,
    units: Object.fromEntries(begun.map(({ unit_id, ...unit }) => [unit_id, unit])),
    treeState: position?.tree_state ?? null,
    shared: await readShared(ctx, { userId: row.user_id, courseId, course: played.course }),
    lastUnitId: position?.last_unit_id ?? null,
    returnUrl: ticket.returnUrl,
    receipt: receiptOf(ctx, row, row.commits),
  });
}

type Row = NonNullable<Awaited<ReturnType<typeof readEnrolment>>>;

function receiptOf(ctx: TenantContext, row: Row, number: number): Receipt {
  const { Status, Completion, Success, Score, Progress } = toEnrolment(ctx, row);
  return { Number: number, Status, Completion, Success, Score, Progress, Ended: null };
}

/** Content also sends commits during a review. They are not stored, and the receipt repeats the enrolment's result. */
async function confirm(
  ctx: TenantContext,
  handle: ReviewHandle,
  { Number: number }: Commit,
): Promise<Receipt> {
  const { ended } = await readState(ctx, handle);
  const row = ended === null ? await readEnrolment(ctx, handle.enrollId) : undefined;
  if (!row) throw new Problem('session_ended', 'The review has ended.');
  return receiptOf(ctx, row, number);
}
