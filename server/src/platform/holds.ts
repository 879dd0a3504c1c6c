import { type Budgets, take, type Use } from './budgets.ts';
import type { Context } from './context.ts';
import { countRejection, type RejectingPool, type Rejection } from './counters.ts';
import { Problem } from './errors.ts';
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

/** A place among those of `by`. `free`: it is not limited now, because there is room for everybody. */
export type Hold<P extends PoolName> = {
  of: Budgets;
  by: string;
  whose: string;
  reason: Rejection<P>;
  free?: boolean;
  /** So many of them, if they are bytes. */
  amount?: number;
};

/**
 * Takes a place of each and answers the way to give all back, with what is `held` already, which works once; or gives
 * that back, takes none and rejects the request.
 */
export function holdAll<P extends PoolName>(
  ctx: Context,
  pool: P,
  holds: readonly Hold<P>[],
  held?: () => void,
): () => void {
  const taken: { use: Use; amount: number }[] = [];
  let isHeld = true;
  const giveBack = () => {
    if (!isHeld) return;
    isHeld = false;
    for (const { use, amount } of taken) use.inUse -= amount;
    held?.();
  };
  for (const { of, by, whose, reason, free, amount = 1 } of holds) {
    const use = take(of, by, free, amount);
    if (!use) {
      giveBack();
      throw reject(ctx, pool, reason, { detail: `Too many simultaneous requests ${whose}.`, retryAfter: 1 });
    }
    taken.push({ use, amount });
  }
  return giveBack;
}

/** Half of a pool is for whoever comes first. Beyond it nobody may take so much that others are left without a place. */
export function hasRoom({ inUse, most }: Pool): boolean {
  return inUse < most / 2;
}
