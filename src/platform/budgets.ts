import { isIPv6 } from 'node:net';

/** How often and how many at a time something may be done, counted for each caller apart. 0: no limit. */
export type Budgets = {
  readonly perMinute: number;
  readonly atOnce: number;
  readonly used: Map<string, Use>;
};

/** A caller's minute begins with the first call after the minute before is over. In milliseconds. */
type Use = { since: number; calls: number; inUse: number };

const minute = 60_000;
/** Callers that are remembered; the ones not seen for longest go first. */
const mostCallers = 20_000;

export function openBudgets(limits: { perMinute?: number; atOnce?: number }): Budgets {
  return { perMinute: limits.perMinute ?? 0, atOnce: limits.atOnce ?? 0, used: new Map() };
}

function useOf({ used }: Budgets, caller: string): Use {
  const use = used.get(caller) ?? { since: Number.NEGATIVE_INFINITY, calls: 0, inUse: 0 };
  used.delete(caller);
  used.set(caller, use);
  if (used.size > mostCallers) used.delete(used.keys().next().value ?? caller);
  return use;
}

/** Whole seconds until the caller may go on; 0: it may now. A clock that was set back begins another minute. */
function secondsLeft({ perMinute }: Budgets, { since, calls }: Use, now: number): number {
  const isOver = now >= since + minute || now < since;
  return isOver || calls < perMinute ? 0 : Math.ceil((since + minute - now) / 1000);
}

/** Seconds that the caller has to wait; 0: none. Counts nothing. */
export function secondsToWait(budgets: Budgets, caller: string, now: Date): number {
  const use = budgets.perMinute > 0 ? budgets.used.get(caller) : undefined;
  return use ? secondsLeft(budgets, use, now.getTime()) : 0;
}

/** Counts a call. Answers the seconds to wait when this minute's are used up; then nothing is counted. */
export function spend(budgets: Budgets, caller: string, now: Date): number {
  if (budgets.perMinute === 0) return 0;
  const use = useOf(budgets, caller);
  const time = now.getTime();
  const seconds = secondsLeft(budgets, use, time);
  if (seconds > 0) return seconds;
  if (time >= use.since + minute || time < use.since) Object.assign(use, { since: time, calls: 0 });
  use.calls++;
  return 0;
}

/** Takes one of the caller's places. Answers the way to give it back, or null when all are taken. */
export function hold(budgets: Budgets, caller: string): (() => void) | null {
  const use = useOf(budgets, caller);
  if (budgets.atOnce > 0 && use.inUse >= budgets.atOnce) return null;
  use.inUse++;
  return () => {
    use.inUse--;
  };
}

/** The network of one subscriber: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  const [left = '', right] = address.split('::');
  const head = left.split(':').filter(Boolean);
  const tail = right === undefined ? [] : right.split(':').filter(Boolean);
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  const groups = [...head, ...(right === undefined ? [] : zeros), ...tail].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
