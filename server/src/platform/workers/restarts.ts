/** Consecutive failures of a node's workers. */
export type Restarts = {
  /** Workers that ended before they had served for long. */
  early: number;
  /** Workers that ended before they had served at all. */
  unstarted: number;
};

/** If a worker has served for this long, its start was not the cause of its failure. */
const stableMilliseconds = 10_000;
const firstPause = 250;
const longestPause = 30_000;
const maxUnstarted = 5;

export const noRestarts: Restarts = { early: 0, unstarted: 0 };

/**
 * Returns the state after a worker has ended, and the pause before it is replaced. `served` is the
 * time for which it served requests, in milliseconds, or null if it never did.
 */
export function afterEnd(before: Restarts, served: number | null): { restarts: Restarts; pause: number } {
  const isSteady = served !== null && served >= stableMilliseconds;
  const early = isSteady ? 0 : before.early + 1;
  const unstarted = served === null ? before.unstarted + 1 : 0;
  const pause = early === 0 ? 0 : Math.min(longestPause, firstPause * 2 ** (early - 1));
  return { restarts: { early, unstarted }, pause };
}

/**
 * While any worker serves requests, the others are restarted indefinitely. If the database is down,
 * serving workers survive, but new ones cannot start.
 */
export function shouldGiveUp({ unstarted }: Restarts, serving: number): boolean {
  return serving === 0 && unstarted >= maxUnstarted;
}
