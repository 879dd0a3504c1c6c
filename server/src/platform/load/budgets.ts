import { isIPv6 } from 'node:net';

/** Limits per caller: calls per minute, and concurrent calls. 0 means no limit. */
export type Budgets = {
  readonly perMinute: number;
  readonly concurrent: number;
  readonly used: Map<string, Use>;
  /**
   * Callers whose use has not been reported to the node's other processes yet; null if there is only one
   * process.
   */
  unshared: Set<string> | null;
};

/**
 * A caller's use of its budget. `since` is the start of its minute in milliseconds: its first call
 * after the previous minute. `unshared` is the part of `spent` that other processes do not know
 * about yet.
 */
export type Use = { since: number; spent: number; unshared: number; inUse: number };

const minute = 60_000;
/** Maximum number of callers that are remembered. The least recently seen are dropped first. */
const maxCallers = 20_000;

export function openBudgets(limits: { perMinute?: number; concurrent?: number }): Budgets {
  const { perMinute = 0, concurrent = 0 } = limits;
  return { perMinute, concurrent, used: new Map(), unshared: null };
}

function usageOf({ used }: Budgets, caller: string): Use {
  const known = used.get(caller);
  // The order matters only when callers may have to be dropped.
  if (known && used.size < maxCallers / 2) return known;
  const use = known ?? { since: Number.NEGATIVE_INFINITY, spent: 0, unshared: 0, inUse: 0 };
  used.delete(caller);
  used.set(caller, use);
  if (used.size > maxCallers) used.delete(used.keys().next().value ?? caller);
  return use;
}

/** Whole seconds until the caller may continue; 0 means now. If the clock was set back, a new minute begins. */
function secondsLeft({ perMinute }: Budgets, { since, spent }: Use, now: number, amount = 1): number {
  const isOver = now >= since + minute || now < since;
  return isOver || spent + amount <= perMinute ? 0 : Math.ceil((since + minute - now) / 1000);
}

/** Returns the seconds that the caller has to wait, or 0. Does not count a call. */
export function secondsToWait(budgets: Budgets, caller: string, now: Date): number {
  const use = budgets.perMinute > 0 ? budgets.used.get(caller) : undefined;
  return use ? secondsLeft(budgets, use, now.getTime()) : 0;
}

/**
 * Counts a call, or this many bytes. If they exceed this minute's budget, nothing is counted and the result is the
 * number of seconds to wait.
 */
export function spend(budgets: Budgets, caller: string, now: Date, amount = 1): number {
  if (budgets.perMinute === 0) return 0;
  const use = usageOf(budgets, caller);
  const time = now.getTime();
  const seconds = secondsLeft(budgets, use, time, amount);
  if (seconds > 0) return seconds;
  add(use, time, amount);
  if (budgets.unshared) {
    use.unshared += amount;
    budgets.unshared.add(caller);
  }
  return 0;
}

function add(use: Use, time: number, amount: number): void {
  if (time >= use.since + minute || time < use.since)
    Object.assign(use, { since: time, spent: 0, unshared: 0 });
  use.spent += amount;
}

/** Callers do not appear in exchanges until they have spent this fraction of their budget. */
const reportingThreshold = 1 / 16;

/**
 * Returns the amounts that callers have spent in this process since the last call, for the node's
 * other processes.
 */
export function takeUnreported({ perMinute, used, unshared }: Budgets): [string, number][] {
  const spent: [string, number][] = [];
  for (const caller of unshared ?? []) {
    const use = used.get(caller);
    if (use && use.spent <= perMinute * reportingThreshold) continue;
    unshared?.delete(caller);
    if (!use || use.unshared <= 0) continue;
    spent.push([caller, use.unshared]);
    use.unshared = 0;
  }
  return spent;
}

/** Adds the amounts that callers have spent in another process, even beyond the limit. */
export function addReported(budgets: Budgets, spent: readonly [string, number][], now: Date): void {
  for (const [caller, amount] of spent) add(usageOf(budgets, caller), now.getTime(), amount);
}

/** Refunds a call that `spend` counted by mistake. */
export function refund({ used }: Budgets, caller: string): void {
  const use = used.get(caller);
  if (!use || use.spent === 0) return;
  use.spent--;
  use.unshared--;
}

/**
 * Adds one slot, or `amount` bytes, to the caller's `inUse`. Returns null if that would exceed the
 * limit, unless `counts` is set. The calling function must subtract the amount afterwards.
 */
export function take(budgets: Budgets, caller: string, counts = false, amount = 1): Use | null {
  const use = usageOf(budgets, caller);
  if (!counts && budgets.concurrent > 0 && use.inUse + amount > budgets.concurrent) return null;
  use.inUse += amount;
  return use;
}

/** Takes one of the caller's slots. Returns a function that releases it once, or null if all slots are taken. */
export function reserve(budgets: Budgets, caller: string): (() => void) | null {
  const use = take(budgets, caller);
  if (!use) return null;
  let isHeld = true;
  return () => {
    if (isHeld) use.inUse--;
    isHeld = false;
  };
}

/** The network of one subscriber: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function networkOf(address: string): string {
  return ipv4Of(address) ?? `${groupsOf(address).slice(0, 4).join(':')}::/64`;
}

/** The network of one organisation (a provider's customer): an IPv4 /24 or an IPv6 /48. */
export function organisationNetworkOf(address: string): string {
  const ipv4 = ipv4Of(address);
  return ipv4 === null
    ? `${groupsOf(address).slice(0, 3).join(':')}::/48`
    : `${ipv4.split('.').slice(0, 3).join('.')}.0/24`;
}

function ipv4Of(address: string): string | null {
  if (!isIPv6(address)) return address;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1] ?? null;
}

function groupsOf(address: string): string[] {
  const [left = '', right] = address.split('::');
  const head = left.split(':').filter(Boolean);
  const tail = right === undefined ? [] : right.split(':').filter(Boolean);
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0');
  const groups = [...head, ...(right === undefined ? [] : zeros), ...tail];
  return groups.map((group) => Number.parseInt(group, 16).toString(16));
}
