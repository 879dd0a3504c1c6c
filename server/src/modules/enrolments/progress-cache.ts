import { tenantNow } from '../../platform/clocks.ts';
import type { TenantContext } from '../../platform/context.ts';
import { partOfState } from '../../platform/node-state.ts';
import type { ProgressFacts } from './progress-statements.ts';
import { type SessionFacts, sessionEnd } from './session-end.ts';

/**
 * The data after a commit of the newest launch. `changedAt` is the time of that commit. The next
 * write is skipped if the enrolment has changed since then.
 */
export type CachedProgress = ProgressFacts &
  SessionFacts & { launch: number; user_id: string; launchId: string | null; changedAt: Date };

/** Maximum number of cached enrolments. Each takes about 1 kB, including the results of its units. */
const maxEntries = 4_000;
const maxUnits = 20;

const entries = partOfState('progress_cache', () => new Map<string, CachedProgress>());
const keyOf = (ctx: TenantContext, enrollId: string) => `${ctx.tenantId} ${enrollId}`;

/**
 * Returns the data for the next commit of an open session, so that it needs one statement instead
 * of two. Returns null for any other commit. The write checks that nothing has changed since.
 */
export function cachedProgress(
  ctx: TenantContext,
  commit: { enrollId: string; launch: number; launchId: string | null; number: number },
): CachedProgress | null {
  const facts = entries(ctx).get(keyOf(ctx, commit.enrollId));
  if (!facts || commit.number !== facts.commits + 1) return null;
  if (commit.launch !== facts.launch || commit.launchId !== facts.launchId) return null;
  return sessionEnd(facts, facts.launch, tenantNow(ctx)) === null ? facts : null;
}

export function cacheProgress(ctx: TenantContext, enrollId: string, facts: CachedProgress): void {
  const map = entries(ctx);
  const key = keyOf(ctx, enrollId);
  map.delete(key);
  if (Object.keys(facts.units ?? {}).length > maxUnits) return;
  map.set(key, facts);
  if (map.size > maxEntries) map.delete(map.keys().next().value as string);
}

export function forgetProgress(ctx: TenantContext, enrollId: string): void {
  entries(ctx).delete(keyOf(ctx, enrollId));
}
