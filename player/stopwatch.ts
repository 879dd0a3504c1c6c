/** Counts the seconds during which the page is visible. */
export type Stopwatch = { seconds(): number };

export function startStopwatch(): Stopwatch {
  let counted = 0;
  let since = document.hidden ? null : performance.now();
  const add = () => {
    if (since !== null) counted += performance.now() - since;
    since = document.hidden ? null : performance.now();
  };
  document.addEventListener('visibilitychange', add);
  return {
    seconds: () => {
      add();
      return Math.round(counted / 1000);
    },
  };
}
