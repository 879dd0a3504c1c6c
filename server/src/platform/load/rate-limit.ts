import type { FastifyReply } from 'fastify';
import type { Context } from '../context.ts';
import { Problem } from '../errors.ts';
import { countRejection } from '../operations/counters.ts';
import { countInMinute } from './limits.ts';

/** Counts a key's call on this node, reports the limit to the client, and rejects calls beyond it. */
export function countCall(ctx: Context, keyId: string, reply: FastifyReply): void {
  const limit = ctx.config.rateLimit;
  if (limit === 0) return;
  const { used, reset } = countInMinute(ctx, { name: `calls ${keyId}`, max: limit });
  void reply.headers({
    'RateLimit-Policy': `"key";q=${limit};w=60`,
    RateLimit: `"key";r=${Math.max(0, limit - used)};t=${reset}`,
  });
  if (used <= limit) return;
  countRejection(ctx, 'calls_of_key');
  throw new Problem(
    'too_many_requests',
    `Rate limit of ${limit} calls per minute reached. Retry in ${reset} s, or send many rows in one call with POST /user/bulk and /enrol/bulk.`,
    { retryAfter: reset },
  );
}
