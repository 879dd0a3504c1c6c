import type { FastifyRequest } from 'fastify';
import { storageLimits } from '../../../../../standards/storage-limits.ts';
import { type EnterSession, rejectLargeBody } from '../../../http/serve/dispatch.ts';
import { declaredBytes } from '../../../http/validation/validation.ts';
import { enterPlayer } from '../../../infra/calls/limits.ts';
import type { Context } from '../../../infra/context/context.ts';
import { Problem } from '../../../lib/errors.ts';
import { rejectSuspended } from '../../tenants/tenants.ts';
import { findOpening, findOpenSession } from './open-sessions.ts';
import { oldLink } from './page-texts.ts';

/** Without a valid ticket, the route shows a page that says so. */
function enterByTicket(ctx: Context, request: FastifyRequest, token: string): void {
  const opening = findOpening(ctx, token);
  if (!opening && request.method === 'POST') throw new Problem('session_ended', oldLink);
  rejectLargeBody(request);
  if (opening) enterPlayer(ctx, request, opening.player, 'page');
}

/** First reads the ticket or session in the path. Then admits the request with the limits for learners. */
export const enterSession: EnterSession = async (ctx, request, { runTime }) => {
  const { token } = request.params as { token: string };
  if (!runTime || runTime.token === 'ticket') return enterByTicket(ctx, request, token);
  const { player } = findOpenSession(ctx, token);
  rejectLargeBody(request);
  // Count a body without a declared length as the maximum, because it could have any size.
  const use =
    runTime.use === 'commit' ? { bytes: declaredBytes(request) || storageLimits.commitBytes } : runTime.use;
  enterPlayer(ctx, request, player, use);
  // Check for a suspension separately, because the session is cached for longer. A rejected page keeps its
  // unsent commits.
  await rejectSuspended(ctx, player.tenantId);
};
