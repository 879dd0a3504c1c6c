/** Counts the seconds in which the page is visible. */
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

/** SCORM 1.2 `CMITimespan`, as `0000:00:00`. */
export function timespan12(seconds: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${String(Math.floor(seconds / 3600)).padStart(4, '0')}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** SCORM 2004 `timeinterval(second,10,2)`. */
export function timespan2004(seconds: number): string {
  return `PT${Math.floor(seconds / 3600)}H${Math.floor((seconds / 60) % 60)}M${Math.floor(seconds % 60)}S`;
}

const units = { H: 3600, M: 60, S: 1 };

/** Accepts both notations; anything else counts as zero. */
export function secondsIn(text: string | undefined): number {
  const parts = /^(\d+):(\d+):(\d+(?:\.\d+)?)$/.exec(text ?? '');
  if (parts) return Number(parts[1]) * 3600 + Number(parts[2]) * 60 + Number(parts[3]);
  const [days = '', time = ''] = (text?.startsWith('P') ? text.slice(1) : '').split('T');
  let total = Number(/([\d.]+)D/.exec(days)?.[1] ?? 0) * 86_400;
  for (const [, amount, unit] of time.matchAll(/([\d.]+)([HMS])/g))
    total += Number(amount) * units[unit as keyof typeof units];
  return total;
}
