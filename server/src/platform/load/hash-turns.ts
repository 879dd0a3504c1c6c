import type { Context } from '../context.ts';
import type { Problem } from '../errors.ts';
import { reject } from './holds.ts';
import { inTurn, isLineFull, strangersLine } from './turns.ts';

function hashLineIsFull(ctx: Context): Problem {
  const detail = 'Too many passwords of this tenant are waiting to be hashed.';
  return reject(ctx, 'hashes', 'tenant_concurrency', { detail, retryAfter: 1 });
}

/** Called before a guess counts as wrong: a rejected request is not a guess. */
export function refuseFullHashLine(ctx: Context & { tenantId: string }): void {
  if (isLineFull(ctx.admission.hashes, ctx.tenantId)) throw hashLineIsFull(ctx);
}

/**
 * Checks a password with all its statements: two at a time per tenant, so that others find the database free.
 */
export async function checkInTenantsTurn<Result>(
  ctx: Context & { tenantId: string },
  check: () => Promise<Result>,
): Promise<Result> {
  const checked = inTurn(ctx.admission.checks, ctx.tenantId, check);
  if (!checked) throw hashLineIsFull(ctx);
  return checked;
}

/** Hashes a password: two at a time on this node, because each uses a thread that learners' files need. */
export function hashInTurn<Result>(
  ctx: Context & { tenantId?: string },
  work: () => Promise<Result>,
): Promise<Result> {
  const waits = () => ctx.counters.poolWaits.inc({ pool: 'hashes' });
  const hashed = inTurn(ctx.admission.hashes, ctx.tenantId ?? strangersLine, work, waits);
  if (!hashed) throw hashLineIsFull(ctx);
  return hashed;
}
