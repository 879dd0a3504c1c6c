import type { Context } from '../context.ts';
import { Problem } from '../errors.ts';
import { countRejection, type RejectingPool, type Rejection } from '../operations/counters.ts';
import { type Budgets, take, type Use } from './budgets.ts';
import type { Pool, PoolName } from './pools.ts';

type Rejected = { detail: string; retryAfter: number };

export function reject<P extends RejectingPool>(
  ctx: Context,
  pool: P,
  reason: Rejection<P>,
  { detail, retryAfter }: Rejected,
): Problem {
  countRejection(ctx, pool, reason);
  return new Problem('too_many_requests', `${detail} Retry in ${retryAfter} seconds.`, { retryAfter });
}

/**
 * A slot of the caller `by` in the budget `of`. With `free`, the limit does not apply, because the pool has
 * room.
 */
export type Reservation<P extends PoolName> = {
  of: Budgets;
  by: string;
  /** Names the requests that are limited; completes the sentence "Too many simultaneous requests". */
  description: string;
  reason: Rejection<P>;
  free?: boolean;
  /** The number of bytes, if the budget counts bytes. */
  amount?: number;
};

/**
 * Takes one slot from each budget and returns a function that releases all of them and `reserved`, once. If a slot is
 * not available, takes no slots, releases `reserved` and rejects the request.
 */
export function reserveAll<P extends PoolName>(
  ctx: Context,
  pool: P,
  reservations: readonly Reservation<P>[],
  reserved?: () => void,
): () => void {
  const taken: Use[] = [];
  let isReserved = true;
  const release = () => {
    if (!isReserved) return;
    isReserved = false;
    for (const [index, use] of taken.entries()) use.inUse -= reservations[index]?.amount ?? 1;
    reserved?.();
  };
  for (const { of, by, description, reason, free, amount = 1 } of reservations) {
    const use = take(of, by, free, amount);
    if (!use) {
      release();
      throw reject(ctx, pool, reason, {
        detail: `Too many simultaneous requests ${description}.`,
        retryAfter: 1,
      });
    }
    taken.push(use);
  }
  return release;
}

/** The first half of a pool is available to any caller. Beyond that, limits per caller apply. */
export function hasRoom({ inUse, max }: Pool): boolean {
  return inUse < max / 2;
}
