import type { FastifyRequest } from 'fastify';
import type { Context } from '../../platform/context.ts';
import { Problem } from '../../platform/errors.ts';
import { inTurn, isQueueFull, operatorQueue } from '../../platform/load/fair-queue.ts';
import { reject } from '../../platform/load/reservations.ts';
import { countUnread, isUnreadFull } from '../../platform/load/unread-bytes.ts';
import type { PlayedRelease } from '../catalogue/playable.ts';
import type { Session } from './schemas.ts';

/**
 * Minimum size of a large release. `bytes` includes the data shared by other courses. In addition
 * to the tree, a session contains some defaults for each unit.
 */
const largeTree = 64 * 1024;

export const isLarge = ({ bytes }: Pick<PlayedRelease, 'bytes'>): boolean => bytes > largeTree;

function beingOpened(ctx: Context): Problem {
  return reject(ctx, 'runTime', 'unread_responses', {
    detail: 'Too many large courses of this tenant are being opened at the same time.',
    retryAfter: 1,
  });
}

/**
 * Rejects another large session of a tenant if many of the tenant's large sessions are waiting or have not
 * been read by their clients.
 */
export function rejectLarge(ctx: Context, tenantId: string | null): void {
  const queueKey = tenantId ?? operatorQueue;
  const { openings, unreadSessions } = ctx.admission;
  if (isQueueFull(openings, queueKey) || isUnreadFull(unreadSessions, queueKey)) throw beingOpened(ctx);
}

/**
 * Builds and serializes a large session in its tenant's queue. It counts against the tenant's limit
 * until it has been sent.
 */
export async function openInTurn(
  ctx: Context,
  request: FastifyRequest,
  tenantId: string | null,
  make: () => Promise<Session>,
): Promise<string> {
  const queueKey = tenantId ?? operatorQueue;
  const { openings, unreadSessions } = ctx.admission;
  const waits = () => ctx.counters.poolWaits.inc({ pool: 'openings' });
  const opened = inTurn(
    openings,
    queueKey,
    async () => {
      if (request.slot.hasEnded)
        throw new Problem('unavailable', 'The client has disconnected.', { retryAfter: 1 });
      if (isUnreadFull(unreadSessions, queueKey)) throw beingOpened(ctx);
      const text = JSON.stringify(await make());
      countUnread(unreadSessions, request, queueKey, text);
      return text;
    },
    waits,
  );
  if (!opened) throw beingOpened(ctx);
  return opened;
}
