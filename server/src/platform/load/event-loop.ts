import type { Context } from '../context.ts';

const checkIntervalMilliseconds = 100;
/** Clients have often given up by the time their requests have waited this long. */
const stalledMilliseconds = 2_000;

/** Detects when the event loop has been blocked. */
export function watchEventLoop(ctx: Context): { stop: () => void } {
  let last = performance.now();
  const timer = setInterval(() => {
    const late = performance.now() - last - checkIntervalMilliseconds;
    last += checkIntervalMilliseconds + late;
    if (late > stalledMilliseconds) {
      ctx.counters.stalls.inc();
      ctx.log.warn({ ms: Math.round(late) }, 'the event loop was blocked; waiting requests are rejected');
    }
    ctx.admission.stalled = late > stalledMilliseconds;
  }, checkIntervalMilliseconds);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
