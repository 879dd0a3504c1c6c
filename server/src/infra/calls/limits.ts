import type { FastifyReply, FastifyRequest } from 'fastify';
import { overloaded, Problem } from '../../lib/errors.ts';
import { type Context, partOfState } from '../context/context.ts';
import { countRejection, type LimitName } from '../context/counters.ts';
import { onRequestEnd } from '../context/request-end.ts';

/** `of` names what is limited, in the plural. */
type Limit = { readonly max: number; readonly of: string };

/**
 * What one owner may do within a minute on this node: an enrolment or a course's preview for run-time limits, and a
 * tenant for the others. The limit of calls per key is a setting, `RATE_LIMIT`.
 */
export const perMinute = {
  /** A page sends a commit every few seconds, and a heartbeat every minute. */
  commits: { max: 120, of: 'commits' },
  commit_bytes: { max: 30 * 1024 ** 2, of: 'bytes of commits' },
  /** Enough to open a course of 2,000 files three times. */
  files: { max: 6_000, of: 'course files' },
  /** Each launch writes an event that is kept forever, and possibly a webhook delivery. */
  launches: { max: 10, of: 'launches' },
  units: { max: 30, of: 'launches of units' },
  enrolment_keys: { max: 20_000, of: 'new enrolment keys' },
  pings: { max: 60, of: 'test events' },
  /** The page reads one up to three times, and draws it when the learner saves it. */
  certificates: { max: 20, of: 'reads of a certificate' },
} as const satisfies Partial<Record<LimitName, Limit>>;

/** What one owner may have in progress on this node. */
const inProgress = {
  bulk_calls: { max: 4, of: 'bulk calls for this tenant' },
  /** Anyone may have files checked, which can take a second of the processor. */
  file_checks: { max: 1, of: 'checks of files' },
} as const satisfies Partial<Record<LimitName, Limit>>;

/** A tenant may use this part of a server's slots, so that others can always get one. */
const shareOfTenant = 4;

function rejected(ctx: Context, name: LimitName, detail: string, retryAfter: number): Problem {
  countRejection(ctx, name);
  return new Problem('too_many_requests', detail, { retryAfter });
}

function tooMany(ctx: Context, name: LimitName): Problem {
  countRejection(ctx, name);
  return overloaded();
}

/**
 * Adds the amount to the owner's count in this minute, unless it would exceed the maximum. Returns the sum, and the
 * seconds until the next minute.
 */
function countInMinute(
  ctx: Context,
  { name, max, amount = 1 }: { name: string; max: number; amount?: number },
): { used: number; reset: number } {
  const { load } = ctx;
  const seconds = ctx.now().getTime() / 1000;
  const minute = Math.floor(seconds / 60);
  if (minute !== load.minute) {
    load.minute = minute;
    load.counts.clear();
  }
  const used = (load.counts.get(name) ?? 0) + amount;
  if (used <= max) load.counts.set(name, used);
  return { used, reset: Math.max(1, Math.ceil((minute + 1) * 60 - seconds)) };
}

/** Counts something that the owner does, and fails with 429 beyond its limit per minute. */
export function countWithin(ctx: Context, name: keyof typeof perMinute, owner: string, amount = 1): void {
  const { max, of } = perMinute[name];
  const { used, reset } = countInMinute(ctx, { name: `${name} ${owner}`, max, amount });
  if (used <= max) return;
  throw rejected(ctx, name, `Limit of ${max} ${of} per minute reached. Retry in ${reset} seconds.`, reset);
}

/** Occupies one of `max` places until the request ends. Returns whether one was free. */
function occupy({ load: { open } }: Context, request: FastifyRequest, name: string, max: number): boolean {
  const now = open.get(name) ?? 0;
  if (now >= max) return false;
  open.set(name, now + 1);
  onRequestEnd(request, () => {
    const left = (open.get(name) ?? 1) - 1;
    if (left > 0) open.set(name, left);
    else open.delete(name);
  });
  return true;
}

/** Begins something of which the owner may have a few in progress. It ends with the request. */
export function beginWithin(
  ctx: Context,
  request: FastifyRequest,
  name: keyof typeof inProgress,
  owner: string,
): void {
  const { max, of } = inProgress[name];
  if (occupy(ctx, request, `${name} ${owner}`, max)) return;
  throw rejected(
    ctx,
    name,
    `Limit of ${max} for ${of} in progress reached. Retry when one has finished.`,
    10,
  );
}

/** The servers of a node. Learners have slots of their own, so that bulk jobs never hold them up. */
export type ServerName = 'api' | 'content';

const slotsOf = ({ config }: Context, server: ServerName) =>
  config.maxInFlight * (server === 'content' ? 2 : 1);

/** Occupies a slot of the server until the request ends. */
export function enterServer(ctx: Context, request: FastifyRequest, server: ServerName): void {
  if (!occupy(ctx, request, `requests ${server}`, slotsOf(ctx, server))) throw tooMany(ctx, 'requests');
}

/** Limits the tenant's concurrent requests to a share of the server's slots. */
export function enterTenant(
  ctx: Context,
  request: FastifyRequest,
  tenantId: string | null,
  server: ServerName,
): void {
  if (tenantId === null) return;
  const max = Math.ceil(slotsOf(ctx, server) / shareOfTenant);
  if (!occupy(ctx, request, `requests ${server} ${tenantId}`, max))
    throw rejected(
      ctx,
      'requests_of_tenant',
      `${max} requests for this tenant are in progress, which is the maximum. Retry in 1 second.`,
      1,
    );
}

/**
 * The owner of run-time limits: all launches of an enrolment share them. `enrollId` appears only in the log; it is null
 * for previews.
 */
export type Player = { tenantId: string | null; enrollId: string | null; budget: string };

/** What a request from a player is for. `bytes` is the size of a commit. */
export type RunTimeUse = 'page' | 'file' | 'heartbeat' | { bytes: number };

/** Admits a request from a learner or a preview within the limits of the enrolment. */
export function enterPlayer(ctx: Context, request: FastifyRequest, player: Player, use: RunTimeUse): void {
  // Set the player before any rejection, so that the log names the enrolment of rejected requests too.
  request.player = player;
  enterTenant(ctx, request, player.tenantId, 'content');
  if (use === 'page') return;
  countWithin(ctx, use === 'file' ? 'files' : 'commits', player.budget);
  if (typeof use === 'object') countWithin(ctx, 'commit_bytes', player.budget, use.bytes);
}

/** Each hash takes 20 to 40 ms, so the last one waits for about three seconds. */
const maxWaiting = 100;

/** Fails if too many passwords are waiting. Called before a guess is counted, because a rejected request is not a guess. */
export function rejectManyHashes(ctx: Context): void {
  if (ctx.load.hashes.waiting >= maxWaiting) throw tooMany(ctx, 'hashes');
}

/** Hashes a password when its turn comes. */
export async function hashInTurn<Result>(ctx: Context, work: () => Promise<Result>): Promise<Result> {
  const { hashes } = ctx.load;
  hashes.waiting++;
  try {
    return await hashes.inTurn(work);
  } finally {
    hashes.waiting--;
  }
}

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

const kinds = ['calls', 'commits', 'bytes'] as const;
type Kind = (typeof kinds)[number];
export type Use = Record<Kind, number>;

/** What tenants have used on this node and what is not stored yet, by tenant and day (UTC). */
export type Usage = Map<string, Map<string, Use>>;

const state = partOfState('usage', (): { open: Usage } => ({ open: new Map() }));

/** Counts an API call, a commit, or bytes of course files. The counts of the last minute are lost if the process dies. */
export function countUse(ctx: Context, tenantId: string | null, kind: Kind, amount = 1): void {
  if (tenantId === null) return;
  add(state(ctx).open, { tenantId, day: ctx.now().toISOString().slice(0, 10), kind }, amount);
}

type Place = { tenantId: string; day: string; kind: Kind };

function add(open: Usage, { tenantId, day, kind }: Place, amount: number): void {
  const days = open.get(tenantId) ?? new Map<string, Use>();
  const use = days.get(day) ?? { calls: 0, commits: 0, bytes: 0 };
  use[kind] += amount;
  open.set(tenantId, days.set(day, use));
}

/** Takes the counts, to store them. */
export function takeUsage(ctx: Context): Usage {
  const { open } = state(ctx);
  state(ctx).open = new Map();
  return open;
}

/** Puts counts back that could not be stored. */
export function keepUsage(ctx: Context, tenantId: string, days: ReadonlyMap<string, Use>): void {
  for (const [day, use] of days)
    for (const kind of kinds) add(state(ctx).open, { tenantId, day, kind }, use[kind]);
}
