import type { Context } from '../context.ts';
import { addShared, takeUnshared } from './budgets.ts';

/** The budgets per minute. A client's connections may lead to different processes. */
const shared = [
  'addresses',
  'constantFiles',
  'wrongCredentials',
  'pings',
  'merges',
  'unitMerges',
  'issuedKeys',
  'learnerCalls',
  'learnerFiles',
  'fileMisses',
  'commits',
  'starts',
  'unitOpenings',
] as const;

const shareMilliseconds = 250;

/**
 * Keeps budgets per minute valid for the whole node: its processes report to each other, four times a second, what
 * callers have spent.
 */
export function shareBudgets(ctx: Context): { stop: () => void } {
  const { admission, workers } = ctx;
  if (workers.count === 1) return { stop: () => {} };
  for (const name of shared) admission[name].unshared = new Set();
  workers.onShared((spent) => {
    for (const name of shared) addShared(admission[name], spent[name] ?? [], ctx.now());
  });
  const timer = setInterval(() => {
    const spent = shared.map((name) => [name, takeUnshared(admission[name])] as const);
    const some = spent.filter(([, callers]) => callers.length > 0);
    if (some.length > 0) workers.share(Object.fromEntries(some));
  }, shareMilliseconds);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
