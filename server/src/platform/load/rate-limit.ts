import type { FastifyReply } from 'fastify';
import type { Context } from '../context.ts';
import { run } from '../db/transaction.ts';
import { Problem } from '../errors.ts';
import { partOfState } from '../node-state.ts';
import { countRejection } from '../operations/counters.ts';

const windowSeconds = 60;
const syncMilliseconds = 1_000;
/** A key's calls are not reported to other nodes until they reach this fraction of its limit. */
const reportingThreshold = 1 / 16;

/** `exchanged` counts the calls on all nodes as of the last exchange, and `unsent` this node's calls since then. */
type Count = { exchanged: number; unsent: number };
type Window = { startsAt: number; counts: Map<string, Count>; exchanging: boolean };

const windows = partOfState(
  'calls_of_keys',
  (): Window => ({ startsAt: 0, counts: new Map(), exchanging: false }),
);

/**
 * Counts a key's call, reports the budget to the client, and rejects calls over the limit. Each node counts in memory
 * and exchanges counts with the others once a second, so no call waits for a statement, and the limit is approximate.
 */
export function countCall(ctx: Context, keyId: string, reply: FastifyReply): void {
  const limit = ctx.config.rateLimit;
  if (limit === 0) return;
  const seconds = ctx.now().getTime() / 1000;
  const window = windows(ctx);
  const startsAt = Math.floor(seconds / windowSeconds) * windowSeconds;
  if (startsAt !== window.startsAt) {
    window.startsAt = startsAt;
    window.counts.clear();
  }
  const count = window.counts.get(keyId) ?? { exchanged: 0, unsent: 0 };
  window.counts.set(keyId, count);
  const used = count.exchanged + count.unsent + 1;
  const reset = Math.max(1, Math.ceil(startsAt + windowSeconds - seconds));
  void reply.headers({
    'RateLimit-Policy': `"key";q=${limit};w=${windowSeconds}`,
    RateLimit: `"key";r=${Math.max(0, limit - used)};t=${reset}`,
  });
  if (used > limit) {
    countRejection(ctx, 'api', 'key_rate');
    throw new Problem(
      'too_many_requests',
      `Rate limit of ${limit} calls per minute reached. Retry in ${reset} s, or send many rows in one call with POST /user/bulk and /enrol/bulk.`,
      { retryAfter: reset },
    );
  }
  count.unsent++;
  if (ctx.engine.kind === 'postgres' && used > limit * reportingThreshold) exchangeSoon(ctx, window);
}

function exchangeSoon(ctx: Context, window: Window): void {
  if (window.exchanging) return;
  window.exchanging = true;
  setTimeout(() => {
    exchange(ctx, window)
      .catch((error: unknown) => ctx.log.warn({ err: error }, 'could not exchange call counts'))
      .finally(() => {
        window.exchanging = false;
      });
  }, syncMilliseconds).unref();
}

const text = `
insert into rate_window as known (key_id, starts_at, used)
select r.key_id, $2, r.used from jsonb_to_recordset($1::jsonb) as r (key_id uuid, used bigint) order by r.key_id
on conflict (key_id) do update set starts_at = greatest(known.starts_at, excluded.starts_at),
  used = case when known.starts_at = excluded.starts_at then known.used + excluded.used
    when known.starts_at < excluded.starts_at then excluded.used else known.used end
returning key_id, case when starts_at = $2 then used else 0 end as used`;

async function exchange(ctx: Context, { startsAt, counts }: Window): Promise<void> {
  const least = ctx.config.rateLimit * reportingThreshold;
  const busy = new Map(
    [...counts].filter(([, count]) => count.unsent > 0 && count.exchanged + count.unsent > least),
  );
  if (busy.size === 0) return;
  const sent = new Map([...busy].map(([keyId, count]) => [keyId, count.unsent]));
  const rows = [...sent].map(([key_id, used]) => ({ key_id, used }));
  const values = [JSON.stringify(rows), new Date(startsAt * 1000)];
  const totals = await run<{ key_id: string; used: number }>(ctx, { name: 'exchange_counts', text, values });
  for (const { key_id, used } of totals) {
    const count = counts.get(key_id);
    const exchanged = sent.get(key_id) ?? 0;
    // A new window with new counts may have begun in the meantime.
    if (!count || count !== busy.get(key_id)) continue;
    count.exchanged = Math.max(used, exchanged);
    count.unsent -= exchanged;
  }
}
