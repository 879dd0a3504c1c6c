import { setImmediate } from 'node:timers/promises';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import type { Problem } from '../errors.ts';
import { connectionOf } from '../http/http2.ts';
import { countRejection } from '../operations/counters.ts';
import { type Budgets, networkOf, organisationNetworkOf, reserve, spend } from './budgets.ts';
import { inTurn, operatorQueue, overloaded, waitingIn } from './fair-queue.ts';
import { ordinaryCommitBytes, type Pool, type PoolName, poolNames } from './pools.ts';
import { hasRoom, type Reservation, reject, reserveAll } from './reservations.ts';
import { hasBody, setBodyDeadline } from './slow-clients.ts';

/** An exhausted pool is reported as free again once a tenth of its slots are free. */
const freeThreshold = 0.9;
const exhaustedSeconds = 5;

export function isDraining(ctx: Context): boolean {
  return ctx.admission.draining;
}

/** Makes the node report that it is not ready and ask its clients to connect elsewhere. */
export function drain(ctx: Context): void {
  ctx.admission.draining = true;
}

/** Returns a pool that has been full for 5 s. The load balancer should then send requests elsewhere. */
export function exhaustedPool(ctx: Context): PoolName | null {
  const limit = ctx.now().getTime() - exhaustedSeconds * 1000;
  const full = (name: PoolName) => {
    const since = ctx.admission.pools[name].exhaustedSince;
    return since !== null && since.getTime() <= limit;
  };
  return poolNames.find(full) ?? null;
}

function enter(ctx: Context, pool: Pool): void {
  if (++pool.inUse >= pool.max) pool.exhaustedSince ??= ctx.now();
}

function leave(pool: Pool): void {
  if (--pool.inUse < pool.max * freeThreshold) pool.exhaustedSince = null;
}

/**
 * Admits or rejects the request before its body is read. An admitted request uses its slot until
 * the response is sent.
 */
function admit(ctx: Context, { slot, raw }: FastifyRequest, name: PoolName, release: () => void): void {
  const pool = ctx.admission.pools[name];
  const isFull = pool.inUse >= pool.max;
  if (isFull || slot.hasEnded) release();
  if (slot.hasEnded) return;
  if (isFull) {
    countRejection(ctx, name, 'full');
    throw overloaded();
  }
  enter(ctx, pool);
  slot.isAnonymous = name === 'anonymous';
  if (!slot.isAnonymous) ctx.admission.peers?.known.add(connectionOf(raw));
  slot.leave = () => {
    leave(pool);
    release();
  };
}

/**
 * Rejects requests that waited while the event loop was blocked, before doing any work for them. Learners' requests are
 * exempt.
 */
export function rejectStalled(ctx: Context, name: 'anonymous' | 'api'): void {
  if (!ctx.admission.stalled) return;
  countRejection(ctx, name, 'stalled');
  throw overloaded();
}

/** Counts a request without credentials against its address for this minute. Returns the network. */
export function countAnonymous(ctx: Context, request: FastifyRequest): string {
  const network = networkOf(request.address);
  const seconds = spend(ctx.admission.addresses, network, ctx.now());
  if (seconds === 0) return network;
  throw reject(ctx, 'anonymous', 'address_rate', {
    detail: 'Too many requests without credentials from your address.',
    retryAfter: seconds,
  });
}

/** Admits an anonymous request within the budget of its address. */
export function admitAnonymous(ctx: Context, request: FastifyRequest): void {
  rejectStalled(ctx, 'anonymous');
  const { addresses, anonymousBodies, anonymousNetworks, anonymousBodyMilliseconds } = ctx.admission;
  const network = countAnonymous(ctx, request);
  // The body has a short deadline. Until it has arrived, the request occupies slots of its address and its /24 or /48
  // network.
  const hasBodyToCome = hasBody(request.raw);
  const bodies: Reservation<'anonymous'>[] = hasBodyToCome
    ? [
        { of: anonymousBodies, by: network, description: 'from your address', reason: 'address_concurrency' },
        {
          of: anonymousNetworks,
          by: organisationNetworkOf(request.address),
          description: 'from your network',
          reason: 'site_concurrency',
        },
      ]
    : [];
  const bodyIsThere = reserveAll(ctx, 'anonymous', bodies);
  const requestIsOver = reserveAll(
    ctx,
    'anonymous',
    [{ of: addresses, by: network, description: 'from your address', reason: 'address_concurrency' }],
    bodyIsThere,
  );
  request.raw.once('end', bodyIsThere);
  if (hasBodyToCome) setBodyDeadline(request, anonymousBodyMilliseconds);
  admit(ctx, request, 'anonymous', requestIsOver);
}

/**
 * Admits a request with a key or session. Once half of the pool is in use, each key is limited to
 * an eighth of the pool, and each tenant to a quarter.
 */
export function admitCaller(
  ctx: Context,
  request: FastifyRequest,
  caller: { keyId: string; tenantId: string | null },
  held?: () => void,
): void {
  const { keys, tenants, pools } = ctx.admission;
  const free = hasRoom(pools.api);
  const tenant = caller.tenantId ?? operatorQueue;
  const release = reserveAll(
    ctx,
    'api',
    [
      {
        of: keys,
        by: caller.keyId,
        description: 'with this key or session',
        reason: 'key_concurrency',
        free,
      },
      { of: tenants, by: tenant, description: 'from this tenant', reason: 'tenant_concurrency', free },
    ],
    held,
  );
  admit(ctx, request, 'api', release);
}

/**
 * The budgets for requests from a learner or a preview. All launches of an enrolment share them. `enrollId` appears only
 * in the log; it is null for previews.
 */
export type Player = { tenantId: string | null; enrollId: string | null; budget: string };

/** The purpose of a request. Pages load several files (`file`) in parallel. `bytes` is the size of a commit. */
export type RunTimeUse = 'page' | 'file' | 'heartbeat' | { bytes: number };

/**
 * Admits a request from a learner or from a preview. The click on a launch link is the first such request.
 * Each request waits for its turn, because even rejecting a thousand requests in a row would delay other
 * tenants.
 */
export async function admitPlayer(
  ctx: Context,
  request: FastifyRequest,
  player: Player,
  use: RunTimeUse,
): Promise<void> {
  // Set the player before any rejection, so that the log names the enrolment of rejected requests too.
  request.player = player;
  await waitForTurn(ctx, player, use);
  const { learnerCalls, learnerFiles, commits, runTimeTenants, pools } = ctx.admission;
  const isCommit = typeof use === 'object';
  const own = (of: Budgets): Reservation<'runTime'> => ({
    of,
    by: player.budget,
    description: 'from this enrolment or preview',
    reason: 'session_concurrency',
  });
  const ofTenant: Reservation<'runTime'> = {
    of: runTimeTenants,
    by: player.tenantId ?? operatorQueue,
    description: 'from this tenant',
    reason: 'tenant_concurrency',
    free: hasRoom(pools.runTime),
  };
  const requests = own(use === 'file' ? learnerFiles : learnerCalls);
  const holds = isCommit
    ? [requests, own(commits), ofTenant, bytesOf(ctx, player, use.bytes)]
    : [requests, ofTenant];
  const release = reserveAll(ctx, 'runTime', holds);
  const refused = charge(ctx, player, use);
  if (refused) {
    release();
    throw refused;
  }
  admit(ctx, request, 'runTime', release);
}

/**
 * Each turn of the event loop starts only a few requests of a tenant, so a flood from one tenant
 * delays only that tenant.
 */
function waitForTurn({ admission }: Context, { tenantId }: Player, use: RunTimeUse): Promise<void> {
  const turns = use === 'file' ? admission.fileTurns : admission.runTimeTurns;
  return new Promise((resolve, reject) => {
    const start = () => {
      resolve();
      return setImmediate();
    };
    if (!inTurn(turns, tenantId ?? operatorQueue, start)) reject(overloaded());
  });
}

function bytesOf({ admission }: Context, { tenantId }: Player, bytes: number): Reservation<'runTime'> {
  return {
    of: admission.commitBytes,
    by: tenantId ?? operatorQueue,
    amount: bytes,
    free: bytes <= ordinaryCommitBytes,
    description: 'with large commits from this tenant',
    reason: 'tenant_bytes',
  };
}

/** Counts a file, a heartbeat, or a commit and its bytes against the minute's budget. */
function charge(ctx: Context, { budget }: Player, use: RunTimeUse): Problem | null {
  const { learnerCalls, learnerFiles, commits } = ctx.admission;
  if (use === 'page') return null;
  if (use === 'file') {
    const retryAfter = spend(learnerFiles, budget, ctx.now());
    const detail = 'This enrolment or preview has requested too many course files.';
    return retryAfter === 0 ? null : reject(ctx, 'runTime', 'session_rate', { detail, retryAfter });
  }
  const bytes = use === 'heartbeat' ? 0 : use.bytes;
  const calls = spend(learnerCalls, budget, ctx.now());
  const retryAfter = calls || spend(commits, budget, ctx.now(), bytes);
  if (retryAfter === 0) return null;
  const detail = 'This enrolment or preview has sent too many commits, or commits that are too large.';
  return reject(ctx, 'runTime', calls ? 'session_rate' : 'session_bytes', { detail, retryAfter });
}

/** A network may have this many waiting sign-ins even if the queue is full. */
const alwaysWaiting = 10;

/**
 * Checks an anonymous caller's password, then runs the function that the check returns. Each /24 or /48
 * network runs at most two checks. An address may have a quarter of the queue, and a network half of it. A
 * few checks of a network are accepted even if other networks have filled the queue. Work that can wait for a
 * tenant comes after the check, so that it does not occupy the check's slot.
 */
export async function checkInTurn<Result>(
  ctx: Context,
  request: FastifyRequest,
  check: () => Promise<() => Promise<Result>>,
): Promise<Result> {
  const { passwords, passwordAddresses, passwordNetworks } = ctx.admission;
  const ofAddress = reserve(passwordAddresses, networkOf(request.address));
  const ofSite = ofAddress && reserve(passwordNetworks, organisationNetworkOf(request.address));
  const release = () => {
    ofAddress?.();
    ofSite?.();
  };
  const site = organisationNetworkOf(request.address);
  const waiting = passwords.callers.get(site)?.waiting.length ?? 0;
  const isFull = waiting >= alwaysWaiting && waitingIn(passwords) >= passwords.maxWaiting;
  if (!ofAddress || !ofSite || isFull) {
    countRejection(
      ctx,
      'passwords',
      !ofAddress ? 'address_concurrency' : ofSite ? 'full' : 'site_concurrency',
    );
    release();
    throw overloaded();
  }
  const waits = () => ctx.counters.poolWaits.inc({ pool: 'passwords' });
  try {
    const checked = inTurn(passwords, site, check, waits);
    if (!checked) throw overloaded();
    const act = await checked;
    return await act();
  } finally {
    release();
  }
}
