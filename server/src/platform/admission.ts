import type { FastifyRequest } from 'fastify';
import { type Budgets, hold, networkOf, secondsToWait, siteOf, spend } from './budgets.ts';
import type { Context } from './context.ts';
import { countRejection } from './counters.ts';
import { Problem } from './errors.ts';
import { type Hold, hasRoom, holdAll, reject } from './holds.ts';
import { connectionOf } from './http2.ts';
import { sha256 } from './ids.ts';
import { ordinaryCommitBytes, type Pool, type PoolName, poolNames } from './pools.ts';
import { hasBody, hurryBody } from './slow-clients.ts';
import { operatorLine, overloaded } from './turns.ts';

const tick = 100;
/** Clients of requests that waited for so long have often given up. */
const stalledAfter = 2_000;
/** A pool counts as exhausted until a tenth of it is free again. */
const freeAgain = 0.9;
const exhaustedSeconds = 5;
const mostTrusted = 10_000;

export function isDraining(ctx: Context): boolean {
  return ctx.admission.draining;
}

/** From now on the node says that it is not ready, and asks its clients to connect elsewhere. */
export function drain(ctx: Context): void {
  ctx.admission.draining = true;
}

/** The pool that has been full for 5 s, so that this node had better get no more for a while. */
export function exhaustedPool(ctx: Context): PoolName | null {
  const limit = ctx.now().getTime() - exhaustedSeconds * 1000;
  const full = (name: PoolName) => {
    const since = ctx.admission.pools[name].exhaustedSince;
    return since !== null && since.getTime() <= limit;
  };
  return poolNames.find(full) ?? null;
}

function enter(ctx: Context, pool: Pool): void {
  if (++pool.inUse >= pool.most) pool.exhaustedSince ??= ctx.now();
}

function leave(pool: Pool): void {
  if (--pool.inUse < pool.most * freeAgain) pool.exhaustedSince = null;
}

/** Takes the request on, before anything of its body is read, until it is answered; or rejects it. */
function admit(ctx: Context, { place, raw }: FastifyRequest, name: PoolName, giveBack: () => void): void {
  const pool = ctx.admission.pools[name];
  const isFull = pool.inUse >= pool.most;
  if (isFull || place.over) giveBack();
  if (place.over) return;
  if (isFull) {
    countRejection(ctx, name, 'full');
    throw overloaded();
  }
  enter(ctx, pool);
  place.ofStranger = name === 'anonymous';
  if (!place.ofStranger) ctx.admission.peers?.known.add(connectionOf(raw));
  place.leave = () => {
    leave(pool);
    giveBack();
  };
}

/** What waited while the event loop stood still is rejected before anything is done for it, but for learners. */
function refuseStalled(ctx: Context, name: 'anonymous' | 'interface'): void {
  if (!ctx.admission.stalled) return;
  countRejection(ctx, name, 'stalled');
  throw overloaded();
}

/** Counts a request without credentials in the minute of its address, and answers the network of that. */
function countStranger(ctx: Context, request: FastifyRequest): string {
  const network = networkOf(request.ip);
  const seconds = spend(ctx.admission.addresses, network, ctx.now());
  if (seconds === 0) return network;
  throw reject(ctx, 'anonymous', 'address_rate', {
    detail: 'Too many requests without credentials from your address.',
    retryAfter: seconds,
  });
}

/** Takes on a request of somebody we do not know, as far as the budget of the address goes. */
export function admitAnonymous(ctx: Context, request: FastifyRequest): void {
  refuseStalled(ctx, 'anonymous');
  const { addresses, strangerBodies, strangerSites, strangerBodyMilliseconds } = ctx.admission;
  const network = countStranger(ctx, request);
  // A body holds places of its address and its site until it is there, and must be there soon.
  const hasBodyToCome = hasBody(request.raw);
  const bodies: Hold<'anonymous'>[] = hasBodyToCome
    ? [
        { of: strangerBodies, by: network, whose: 'from your address', reason: 'address_concurrency' },
        { of: strangerSites, by: siteOf(request.ip), whose: 'from your network', reason: 'site_concurrency' },
      ]
    : [];
  const bodyIsThere = holdAll(ctx, 'anonymous', bodies);
  const requestIsOver = holdAll(
    ctx,
    'anonymous',
    [{ of: addresses, by: network, whose: 'from your address', reason: 'address_concurrency' }],
    bodyIsThere,
  );
  request.raw.once('end', bodyIsThere);
  if (hasBodyToCome) hurryBody(request, strangerBodyMilliseconds);
  admit(ctx, request, 'anonymous', requestIsOver);
}

/** Takes on a request with a key or session: once half of the pool is taken, a key has an eighth, a tenant a quarter. */
export function admitCaller(
  ctx: Context,
  request: FastifyRequest,
  caller: { keyId: string; tenantId: string | null },
  held?: () => void,
): void {
  const { keys, tenants, pools } = ctx.admission;
  const free = hasRoom(pools.interface);
  const tenant = caller.tenantId ?? operatorLine;
  const giveBack = holdAll(
    ctx,
    'interface',
    [
      { of: keys, by: caller.keyId, whose: 'with this key or session', reason: 'key_concurrency', free },
      { of: tenants, by: tenant, whose: 'of this tenant', reason: 'tenant_concurrency', free },
    ],
    held,
  );
  admit(ctx, request, 'interface', giveBack);
}

/** Whose budgets a request of a learner or of a preview uses: those of an enrolment are the same for all its launches. */
export type Player = { tenantId: string | null; sitting: string };

/** What it asks for: one of the files that a page loads all at once, or to take a commit of so many bytes. */
export type RunTimeUse = 'page' | 'file' | 'alive' | { bytes: number };

/** Takes on a request of a learner, from the click on, or of a preview. */
export function admitPlayer(ctx: Context, request: FastifyRequest, player: Player, use: RunTimeUse): void {
  const { sittings, sittingFiles, commits, runTimeTenants, pools } = ctx.admission;
  const isCommit = typeof use === 'object';
  const own = (of: Budgets): Hold<'runTime'> => ({
    of,
    by: player.sitting,
    whose: 'of this enrolment or preview',
    reason: 'session_concurrency',
  });
  const ofTenant: Hold<'runTime'> = {
    of: runTimeTenants,
    by: player.tenantId ?? operatorLine,
    whose: 'of this tenant',
    reason: 'tenant_concurrency',
    free: hasRoom(pools.runTime),
  };
  const requests = own(use === 'file' ? sittingFiles : sittings);
  const holds = isCommit
    ? [requests, own(commits), ofTenant, bytesOf(ctx, player, use.bytes)]
    : [requests, ofTenant];
  const giveBack = holdAll(ctx, 'runTime', holds);
  const refused = isCommit || use === 'alive' ? charge(ctx, player, isCommit ? use.bytes : 0) : null;
  if (refused) {
    giveBack();
    throw refused;
  }
  admit(ctx, request, 'runTime', giveBack);
}

function bytesOf({ admission }: Context, { tenantId }: Player, bytes: number): Hold<'runTime'> {
  return {
    of: admission.commitBytes,
    by: tenantId ?? operatorLine,
    amount: bytes,
    free: bytes <= ordinaryCommitBytes,
    whose: 'with large commits of this tenant',
    reason: 'tenant_bytes',
  };
}

/** Counts a commit or a sign of life in the minute of its enrolment or preview, and the bytes of a commit. */
function charge(ctx: Context, { sitting }: Player, bytes: number): Problem | null {
  const { sittings, commits } = ctx.admission;
  const calls = spend(sittings, sitting, ctx.now());
  const retryAfter = calls || spend(commits, sitting, ctx.now(), bytes);
  if (retryAfter === 0) return null;
  const detail = 'Too many commits, or too large ones, of this enrolment or preview.';
  return reject(ctx, 'runTime', calls ? 'session_rate' : 'session_bytes', { detail, retryAfter });
}

/**
 * Looks credentials up; wrong ones are charged to their address, whose unknown ones are then not looked up for a while. A
 * request that shows none is no wrong guess: any web page can make its visitors' browsers send many.
 */
export async function checkCredentials<Found>(
  ctx: Context,
  request: FastifyRequest,
  { areShown, look }: { areShown: boolean; look: () => Promise<Found> },
): Promise<Found> {
  refuseStalled(ctx, 'interface');
  if (!areShown) {
    countStranger(ctx, request);
    return look();
  }
  const { wrongCredentials, trusted } = ctx.admission;
  const { authorization, cookie } = request.headers;
  const digest = sha256(authorization ?? cookie ?? '');
  const isTrusted = trusted.has(digest);
  if (!isTrusted) {
    const seconds = secondsToWait(wrongCredentials, networkOf(request.ip), ctx.now());
    if (seconds > 0)
      throw reject(ctx, 'anonymous', 'wrong_credentials', {
        detail: 'Too many requests with wrong credentials from your address.',
        retryAfter: seconds,
      });
  }
  try {
    const found = await look();
    if (!isTrusted) trust(trusted, digest);
    return found;
  } catch (error) {
    if (error instanceof Problem && error.status === 401) {
      trusted.delete(digest);
      chargeAddress(ctx, request);
    }
    throw error;
  }
}

function trust(trusted: Set<string>, digest: string): void {
  trusted.add(digest);
  const [oldest] = trusted.size > mostTrusted ? trusted : [];
  if (oldest !== undefined) trusted.delete(oldest);
}

/** Somebody showed a key, a link or a token that is none. */
export function chargeAddress(ctx: Context, request: FastifyRequest): void {
  const network = networkOf(request.ip);
  spend(ctx.admission.wrongCredentials, network, ctx.now());
  spend(ctx.admission.addresses, network, ctx.now());
}

/**
 * Checks the password of somebody we do not know: two at a time, because they must not take all threads. An address has a
 * quarter of the line, a site half.
 */
export async function checkInTurn<Result>(
  ctx: Context,
  request: FastifyRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  const { passwords, passwordAddresses, passwordSites } = ctx.admission;
  const ofAddress = hold(passwordAddresses, networkOf(request.ip));
  const ofSite = ofAddress && hold(passwordSites, siteOf(request.ip));
  const giveBack = () => {
    ofAddress?.();
    ofSite?.();
  };
  const isFull = passwords.inUse >= passwords.most && passwords.waiting.length >= passwords.mostWaiting;
  if (!ofAddress || !ofSite || isFull) {
    countRejection(
      ctx,
      'passwords',
      !ofAddress ? 'address_concurrency' : ofSite ? 'full' : 'site_concurrency',
    );
    giveBack();
    throw overloaded();
  }
  if (passwords.inUse < passwords.most) enter(ctx, passwords);
  else {
    ctx.counters.poolWaits.inc({ pool: 'passwords' });
    await new Promise<void>((resolve) => passwords.waiting.push(resolve));
  }
  try {
    return await work();
  } finally {
    giveBack();
    const next = passwords.waiting.shift();
    if (next) next();
    else leave(passwords);
  }
}

/** Notices when the event loop stood still. */
export function watchEventLoop(ctx: Context): { stop: () => void } {
  let last = performance.now();
  const timer = setInterval(() => {
    const late = performance.now() - last - tick;
    last += tick + late;
    if (late > stalledAfter) {
      ctx.counters.stalls.inc();
      ctx.log.warn({ ms: Math.round(late) }, 'the event loop stood still; what waited is refused');
    }
    ctx.admission.stalled = late > stalledAfter;
  }, tick);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
