import type { FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { type ErrorCode, Problem } from '../errors.ts';
import { sha256 } from '../ids.ts';
import { countAnonymous, rejectStalled } from './admission.ts';
import { networkOf, refund, reserve, spend } from './budgets.ts';
import { reject } from './reservations.ts';

const maxTrusted = 10_000;

/**
 * Looks up credentials. Unknown credentials are first charged to their address, and refunded if they are
 * valid. Otherwise, many wrong keys would be looked up before the first is rejected. Missing credentials are
 * not charged, because any web page can make browsers send such requests.
 */
export async function checkCredentials<Found>(
  ctx: Context,
  request: FastifyRequest,
  { presented, lookUp }: { presented: string | null; lookUp: (isTrusted: boolean) => Promise<Found> },
): Promise<Found> {
  rejectStalled(ctx, 'api');
  if (presented === null) {
    countAnonymous(ctx, request);
    return lookUp(false);
  }
  const { trusted, pendingLookups } = ctx.admission;
  const digest = sha256(presented);
  if (!trusted.has(digest)) {
    const network = networkOf(request.address);
    const name = `${network} ${digest}`;
    const lookUpInProgress = pendingLookups.get(name);
    if (!lookUpInProgress) {
      const found = lookUpFirst(ctx, network, digest, () => lookUp(false));
      pendingLookups.set(name, found);
      return await found.finally(() => pendingLookups.delete(name));
    }
    await shareOutcome(ctx, network, lookUpInProgress);
  }
  return lookUpAgain(ctx, request, digest, () => lookUp(true));
}

/**
 * A client's first requests often arrive together, so they share one look-up, including its
 * failure. Otherwise, each request would look up again after the previous failure and wake all the
 * others.
 */
async function shareOutcome(
  ctx: Context,
  network: string,
  lookUpInProgress: Promise<unknown>,
): Promise<void> {
  const leave = reserve(ctx.admission.wrongCredentials, network);
  if (!leave) throw tooManyWrong(ctx, 1);
  try {
    await lookUpInProgress;
  } catch (error) {
    if (isWrong(error)) {
      chargeWrong(ctx, network);
      spend(ctx.admission.addresses, network, ctx.now());
    }
    throw error;
  } finally {
    leave();
  }
}

async function lookUpAgain<Found>(
  ctx: Context,
  request: FastifyRequest,
  digest: string,
  lookUp: () => Promise<Found>,
): Promise<Found> {
  trust(ctx.admission.trusted, digest);
  try {
    return await lookUp();
  } catch (error) {
    if (isWrong(error)) {
      ctx.admission.trusted.delete(digest);
      const network = networkOf(request.address);
      spend(ctx.admission.wrongCredentials, network, ctx.now());
      spend(ctx.admission.addresses, network, ctx.now());
    }
    throw error;
  }
}

async function lookUpFirst<Found>(
  ctx: Context,
  network: string,
  digest: string,
  lookUp: () => Promise<Found>,
): Promise<Found> {
  const { wrongCredentials, addresses, trusted } = ctx.admission;
  chargeWrong(ctx, network);
  try {
    const found = await lookUp();
    refund(wrongCredentials, network);
    trust(trusted, digest);
    return found;
  } catch (error) {
    if (isWrong(error)) spend(addresses, network, ctx.now());
    else refund(wrongCredentials, network);
    throw error;
  }
}

function chargeWrong(ctx: Context, network: string): void {
  const seconds = spend(ctx.admission.wrongCredentials, network, ctx.now());
  if (seconds > 0) throw tooManyWrong(ctx, seconds);
}

const tooManyWrong = (ctx: Context, retryAfter: number) =>
  reject(ctx, 'anonymous', 'wrong_credentials', {
    detail: 'Too many requests with wrong credentials from your address.',
    retryAfter,
  });

/**
 * A valid credential that may not be used counts too. Otherwise, its holder could send any number of requests. A request
 * that another site makes a browser send does not count, because it is not the user's fault.
 */
const isWrong = (error: unknown) =>
  error instanceof Problem && (error.status === 401 || unusable.has(error.code));

const unusable: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['passkey_required', 'tenant_suspended']);

/** Re-inserts the digest as the newest, so credentials in use are not dropped. */
function trust(trusted: Set<string>, digest: string): void {
  trusted.delete(digest);
  trusted.add(digest);
  const [oldest] = trusted.size > maxTrusted ? trusted : [];
  if (oldest !== undefined) trusted.delete(oldest);
}
