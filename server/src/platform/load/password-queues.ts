import type { Context } from '../context.ts';
import type { Problem } from '../errors.ts';
import { anonymousQueue, inTurn, isQueueFull } from './fair-queue.ts';
import { reject } from './reservations.ts';

function passwordQueueFull(ctx: Context): Problem {
  const detail = 'Too many passwords for this tenant are waiting to be hashed.';
  return reject(ctx, 'hashes', 'tenant_concurrency', { detail, retryAfter: 1 });
}

/** Called before a guess is counted, because a rejected request is not a guess. */
export function rejectFullPasswordQueue(ctx: Context & { tenantId: string }): void {
  if (isQueueFull(ctx.admission.hashes, ctx.tenantId)) throw passwordQueueFull(ctx);
}

/**
 * Checks a password, including all statements. Each tenant may run two checks at a time, so the
 * database stays available to other tenants.
 */
export async function checkInQueue<Result>(
  ctx: Context & { tenantId: string },
  check: () => Promise<Result>,
): Promise<Result> {
  const checked = inTurn(ctx.admission.checks, ctx.tenantId, check);
  if (!checked) throw passwordQueueFull(ctx);
  return checked;
}

/**
 * Hashes a password. Two hashes run at a time on this node, because each one uses a thread that
 * learners' files need.
 */
export function hashInQueue<Result>(
  ctx: Context & { tenantId?: string },
  work: () => Promise<Result>,
): Promise<Result> {
  const waits = () => ctx.counters.poolWaits.inc({ pool: 'hashes' });
  const hashed = inTurn(ctx.admission.hashes, ctx.tenantId ?? anonymousQueue, work, waits);
  if (!hashed) throw passwordQueueFull(ctx);
  return hashed;
}
