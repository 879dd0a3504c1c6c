import type { Context } from './context.ts';
import { perEngine } from './per-engine.ts';

type Entry<V> = { value: Promise<V>; until: number; since: number };

/**
 * Caches what `load` returns for a short time, per database; concurrent calls share one load. Failed loads
 * and null are not cached: what is missing may be created the next moment. Holds at most `most` entries and
 * drops the oldest first.
 */
export function remember<V>(options: {
  milliseconds: number;
  most: number;
  load: (ctx: Context, key: string) => Promise<V>;
}) {
  const entries = perEngine(() => new Map<string, Entry<V>>());
  /** Checks both clocks, because setting the system clock back must not keep an entry alive. */
  const isFresh = (ctx: Context, { until, since }: Entry<V>) =>
    until > performance.now() && Math.abs(ctx.now().getTime() - since) < options.milliseconds;
  return {
    get(ctx: Context, key: string): Promise<V> {
      const map = entries(ctx);
      const found = map.get(key);
      if (found && isFresh(ctx, found)) return found.value;
      const value = options.load(ctx, key);
      map.delete(key);
      const until = performance.now() + options.milliseconds;
      map.set(key, { value, until, since: ctx.now().getTime() });
      const forget = () => {
        if (map.get(key)?.value === value) map.delete(key);
      };
      value.then((found) => {
        if (found === null) forget();
      }, forget);
      if (map.size > options.most) map.delete(map.keys().next().value as string);
      return value;
    },
    forget(ctx: Context, key: string): void {
      entries(ctx).delete(key);
    },
  };
}
