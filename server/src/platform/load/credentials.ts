import type { FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { Problem } from '../errors.ts';
import { sha256 } from '../ids.ts';
import { countAnonymous, refuseStalled } from './admission.ts';
import { giveBack, networkOf, spend } from './budgets.ts';
import { reject } from './reservations.ts';

const maxTrusted = 10_000;

/**
 * Looks credentials up. Unknown ones are charged to their address first and refunded if they are valid;
 * otherwise a thousand concurrent wrong keys would all be looked up before the first is rejected. A request
 * without credentials is not a wrong guess: any web page can make its visitors' browsers send many.
 */
export async function checkCredentials<Found>(
  ctx: Context,
  request: FastifyRequest,
  { shown, look }: { shown: string | null; look: (isTrusted: boolean) => Promise<Found> },
): Promise<Found> {
  refuseStalled(ctx, 'interface');
  if (shown === null) {
    countAnonymous(ctx, request);
    return look(false);
  }
  const { trusted, beingChecked } = ctx.admission;
  const digest = sha256(shown);
  // A client's first requests often arrive together: one look-up serves all of them.
  while (!trusted.has(digest) && beingChecked.has(digest)) await beingChecked.get(digest);
  if (trusted.has(digest)) return lookAgain(ctx, request, digest, () => look(true));
  const first = lookFirst(ctx, request, () => look(false));
  const over = first.then(
    () => trust(trusted, digest),
    () => {},
  );
  beingChecked.set(digest, over);
  try {
    return await first;
  } finally {
    await over;
    beingChecked.delete(digest);
  }
}

async function lookAgain<Found>(
  ctx: Context,
  request: FastifyRequest,
  digest: string,
  look: () => Promise<Found>,
): Promise<Found> {
  trust(ctx.admission.trusted, digest);
  try {
    return await look();
  } catch (error) {
    if (isWrong(error)) {
      ctx.admission.trusted.delete(digest);
      const network = networkOf(request.ip);
      spend(ctx.admission.wrongCredentials, network, ctx.now());
      spend(ctx.admission.addresses, network, ctx.now());
    }
    throw error;
  }
}

async function lookFirst<Found>(
  ctx: Context,
  request: FastifyRequest,
  look: () => Promise<Found>,
): Promise<Found> {
  const { wrongCredentials, addresses } = ctx.admission;
  const network = networkOf(request.ip);
  const seconds = spend(wrongCredentials, network, ctx.now());
  if (seconds > 0)
    throw reject(ctx, 'anonymous', 'wrong_credentials', {
      detail: 'Too many requests with wrong credentials from your address.',
      retryAfter: seconds,
    });
  try {
    const found = await look();
    giveBack(wrongCredentials, network);
    return found;
  } catch (error) {
    if (isWrong(error)) spend(addresses, network, ctx.now());
    else giveBack(wrongCredentials, network);
    throw error;
  }
}

const isWrong = (error: unknown) => error instanceof Problem && error.status === 401;

/** The newest is the last: those that are in use are not dropped. */
function trust(trusted: Set<string>, digest: string): void {
  trusted.delete(digest);
  trusted.add(digest);
  const [oldest] = trusted.size > maxTrusted ? trusted : [];
  if (oldest !== undefined) trusted.delete(oldest);
}
