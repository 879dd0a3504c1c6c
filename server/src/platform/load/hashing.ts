import type { Context } from '../context.ts';
import { overloaded } from './limits.ts';

/** Each hash takes 20 to 40 ms, so the last one waits for about four seconds. */
const maxWaiting = 200;

/** Fails if too many passwords are waiting. Called before a guess is counted, because a rejected request is not a guess. */
export function rejectManyHashes(ctx: Context): void {
  if (ctx.load.hashes.waiting >= maxWaiting) throw overloaded(ctx, 'hashes');
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
