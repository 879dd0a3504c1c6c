/** Calls back once after a delay. Starting it again restarts the delay. */
export type Timer = { start(delay: number): void; cancel(): void };

export function createTimer(act: () => void): Timer {
  let running: number | undefined;
  const cancel = () => window.clearTimeout(running);
  return {
    cancel,
    start(delay) {
      cancel();
      running = window.setTimeout(act, delay);
    },
  };
}
