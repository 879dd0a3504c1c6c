/** Counts the seconds during which the page is visible. */
export type Clock = { seconds(): number };

export function startClock(): Clock {
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
