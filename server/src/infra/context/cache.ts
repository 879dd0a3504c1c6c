import { forAnyone, isInTransaction } from '../../db/transaction.ts';
import { type Context, partOfState } from './context.ts';

type Entry<V> = { value: Promise<V>; isLoaded: boolean; until: number; since: number; bytes: number };

/**
 * Caches the results of `load` briefly on each node. Concurrent calls share one load. Failures and
 * null are not cached, because a missing value may be created at any moment. When the cache has
 * `max` entries, it drops the oldest.
 */
export function createCache<V>(options: {
  name: string;
  milliseconds: number;
  max: number;
  /** Others wait for the load too, so on Citus, it must not depend on the node of the first caller. */
  load: (ctx: Context, key: string) => Promise<V>;
  /** Maximum total size of all values; `of` returns the size of a value. */
  bytes?: { of: (value: V) => number; max: number };
}) {
  const state = partOfState(options.name, () => ({ entries: new Map<string, Entry<V>>() }));
  /** Checks both clocks, because setting the system clock back must not keep an entry alive. */
  const isFresh = (ctx: Context, { until, since }: Entry<V>) =>
    until > performance.now() && Math.abs(ctx.now().getTime() - since) < options.milliseconds;
  const keep = (ctx: Context, name: string, value: Promise<V>): Promise<V> => {
    // Copy the key, because a slice of a URL would keep the whole URL in memory.
    const key = Buffer.from(name).toString();
    const { entries } = state(ctx);
    entries.delete(key);
    const until = performance.now() + options.milliseconds;
    const entry: Entry<V> = { value, isLoaded: false, until, since: ctx.now().getTime(), bytes: 0 };
    entries.set(key, entry);
    const forget = () => {
      if (entries.get(key)?.value === value) entries.delete(key);
    };
    value.then((found) => {
      if (found === null) return forget();
      entry.isLoaded = true;
      entry.bytes = options.bytes?.of(found) ?? 0;
      if (entry.bytes > 0) forgetOldest(entries, options.bytes?.max ?? 0);
    }, forget);
    forgetExpired(entries);
    if (entries.size > options.max) entries.delete(entries.keys().next().value as string);
    return value;
  };
  /** Loads a value for this caller. Others do not wait for it, but can use the cached value afterwards. */
  const loadAlone = async (ctx: Context, key: string): Promise<V> => {
    const found = await options.load(ctx, key);
    return found === null ? found : keep(ctx, key, Promise.resolve(found));
  };
  return {
    get(ctx: Context, key: string): Promise<V> {
      const found = state(ctx).entries.get(key);
      const isKnown = found && isFresh(ctx, found);
      // Do not wait for another caller's load, because that load may be waiting for this
      // transaction's connection.
      if (isInTransaction(ctx)) return isKnown && found.isLoaded ? found.value : loadAlone(ctx, key);
      if (isKnown) return found.value;
      return keep(ctx, key, options.load(forAnyone(ctx), key));
    },
    forget(ctx: Context, key: string): void {
      state(ctx).entries.delete(key);
    },
  };
}

/** The entries are in the order in which they expire. */
function forgetExpired(entries: Map<string, { until: number }>): void {
  const now = performance.now();
  for (const [key, { until }] of entries) {
    if (until > now) return;
    entries.delete(key);
  }
}

/** The most recently loaded value stays, whatever its size. */
function forgetOldest(map: Map<string, { bytes: number }>, max: number): void {
  let total = 0;
  for (const { bytes } of map.values()) total += bytes;
  for (const [key, { bytes }] of map) {
    if (total <= max || map.size === 1) return;
    map.delete(key);
    total -= bytes;
  }
}
