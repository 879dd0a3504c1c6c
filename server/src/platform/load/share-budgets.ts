import type { Context } from '../context.ts';
import { addReported, takeUnreported } from './budgets.ts';

/**
 * The budgets per minute. A node's processes share them, because a client can connect to several processes.
 */
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
 * Applies budgets per minute to the whole node. Four times a second, its processes report to each
 * other the amounts that callers have spent.
 */
export function shareBudgets(ctx: Context): { stop: () => void } {
  const { admission, workers } = ctx;
  if (workers.count === 1) return { stop: () => {} };
  for (const name of shared) admission[name].unshared = new Set();
  workers.onShared((spent) => {
    for (const name of shared) addReported(admission[name], spent[name] ?? [], ctx.now());
  });
  const timer = setInterval(() => {
    const spent = shared.map((name) => [name, takeUnreported(admission[name])] as const);
    const some = spent.filter(([, callers]) => callers.length > 0);
    if (some.length > 0) workers.share(Object.fromEntries(some));
  }, shareMilliseconds);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
