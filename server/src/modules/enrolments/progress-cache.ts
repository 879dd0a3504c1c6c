import { tenantNow } from '../../platform/clocks.ts';
import type { TenantContext } from '../../platform/context.ts';
import { partOfState } from '../../platform/node-state.ts';
import type { ProgressFacts } from './progress-statements.ts';
import { type SessionFacts, sessionEnd } from './session-end.ts';
import type { StoredUnit } from './units.ts';

/**
 * The data after a commit of the newest launch. `changedAt` is the time of that commit. The next
 * write is skipped if the enrolment has changed since then.
 */
export type CachedProgress = ProgressFacts &
  SessionFacts & {
    launch: number;
    user_id: string;
    launchId: string | null;
    changedAt: Date;
    /** The data that this commit stored, for the next one, which may contain only its changes. */
    stored: StoredUnit & { unitId: string; bytes: number };
  };

/** Maximum number of cached enrolments. Without data, each takes about 1 kB, including the results of its units. */
const maxEntries = 4_000;
const maxUnits = 20;
/** Of the data of all cached enrolments, as JSON. */
const maxBytes = 16 * 1024 ** 2;

const state = partOfState('progress_cache', () => ({ entries: new Map<string, CachedProgress>(), bytes: 0 }));
const keyOf = (ctx: TenantContext, enrollId: string) => `${ctx.tenantId} ${enrollId}`;

/**
 * Returns the data for the next commit of an open session, so that it needs one statement instead
 * of two. Returns null for any other commit. The write checks that nothing has changed since.
 */
export function cachedProgress(
  ctx: TenantContext,
  commit: { enrollId: string; launch: number; launchId: string | null; number: number },
): CachedProgress | null {
  const facts = state(ctx).entries.get(keyOf(ctx, commit.enrollId));
  if (!facts || commit.number !== facts.commits + 1) return null;
  if (commit.launch !== facts.launch || commit.launchId !== facts.launchId) return null;
  return sessionEnd(facts, facts.launch, tenantNow(ctx)) === null ? facts : null;
}

export function cacheProgress(ctx: TenantContext, enrollId: string, facts: CachedProgress): void {
  const known = state(ctx);
  forgetProgress(ctx, enrollId);
  if (Object.keys(facts.units ?? {}).length > maxUnits) return;
  known.entries.set(keyOf(ctx, enrollId), facts);
  known.bytes += facts.stored.bytes;
  for (const [oldest] of known.entries) {
    if (known.entries.size <= maxEntries && known.bytes <= maxBytes) return;
    forget(known, oldest);
  }
}

export function forgetProgress(ctx: TenantContext, enrollId: string): void {
  forget(state(ctx), keyOf(ctx, enrollId));
}

function forget(known: ReturnType<typeof state>, key: string): void {
  known.bytes -= known.entries.get(key)?.stored.bytes ?? 0;
  known.entries.delete(key);
}
