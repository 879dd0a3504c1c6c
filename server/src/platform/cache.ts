import type { Context } from './context.ts';
import { inQueue, isAnonymous } from './db/queues.ts';
import { credentialsQueue } from './load/fair-queue.ts';
import { partOfState } from './node-state.ts';

type Entry<V> = { value: Promise<V>; until: number; since: number; bytes: number };

/**
 * Caches the results of `load` briefly on each node; concurrent calls share one load. Failures and null are not cached,
 * because a missing value may be created at any moment. Holds at most `most` entries and drops the oldest first.
 */
export function createCache<V>(options: {
  name: string;
  milliseconds: number;
  most: number;
  load: (ctx: Context, key: string) => Promise<V>;
  /** The database queue for loading. Shared values must not be loaded in the first caller's queue. */
  queue?: string;
  /** Maximum total size of all values; `of` returns the size of one. */
  bytes?: { of: (value: V) => number; most: number };
}) {
  const entries = partOfState(options.name, () => new Map<string, Entry<V>>());
  /** Checks both clocks, because setting the system clock back must not keep an entry alive. */
  const isFresh = (ctx: Context, { until, since }: Entry<V>) =>
    until > performance.now() && Math.abs(ctx.now().getTime() - since) < options.milliseconds;
  const keep = (ctx: Context, key: string, value: Promise<V>): Promise<V> => {
    const map = entries(ctx);
    map.delete(key);
    const until = performance.now() + options.milliseconds;
    const entry: Entry<V> = { value, until, since: ctx.now().getTime(), bytes: 0 };
    map.set(key, entry);
    const forget = () => {
      if (map.get(key)?.value === value) map.delete(key);
    };
    value.then((found) => {
      if (found === null) return forget();
      entry.bytes = options.bytes?.of(found) ?? 0;
      if (entry.bytes > 0) forgetOldest(map, options.bytes?.most ?? 0);
    }, forget);
    if (map.size > options.most) map.delete(map.keys().next().value as string);
    return value;
  };
  return {
    get(ctx: Context, key: string): Promise<V> {
      const found = entries(ctx).get(key);
      if (found && isFresh(ctx, found)) return found.value;
      // An anonymous caller must not jump the queue, and other callers must not wait in its network's queue.
      if (options.queue === credentialsQueue && isAnonymous(ctx))
        return options
          .load(ctx, key)
          .then((value) => (value === null ? value : keep(ctx, key, Promise.resolve(value))));
      return keep(
        ctx,
        key,
        options.load(options.queue === undefined ? ctx : inQueue(ctx, options.queue), key),
      );
    },
    forget(ctx: Context, key: string): void {
      entries(ctx).delete(key);
    },
  };
}

/** The most recently loaded value stays, whatever its size. */
function forgetOldest(map: Map<string, { bytes: number }>, most: number): void {
  let total = 0;
  for (const { bytes } of map.values()) total += bytes;
  for (const [key, { bytes }] of map) {
    if (total <= most || map.size === 1) return;
    map.delete(key);
    total -= bytes;
  }
}
