/** How long a delivery is retried, and how long an endpoint may fail before it is disabled. */
export const failureWindowMilliseconds = 72 * 3_600_000;

const pausesInSeconds = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800];
const maxPauseInSeconds = 43_200;
export const maxPauseMilliseconds = maxPauseInSeconds * 1000;

/** When to retry after this many attempts, with up to 20 % jitter; null if there are no more retries. */
export function nextAttempt(input: {
  attempts: number;
  first: Date;
  now: Date;
  retryAfter: number | null;
  random?: () => number;
}): Date | null {
  const random = input.random ?? Math.random;
  const seconds = Math.max(pausesInSeconds[input.attempts - 1] ?? maxPauseInSeconds, input.retryAfter ?? 0);
  const end = input.first.getTime() + failureWindowMilliseconds;
  if (input.now.getTime() >= end) return null;
  return new Date(Math.min(end, input.now.getTime() + seconds * 1000 * (1 + random() / 5)));
}
