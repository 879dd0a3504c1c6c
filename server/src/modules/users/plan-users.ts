import type { TenantContext } from '../../platform/context.ts';
import { Problem } from '../../platform/errors.ts';
import { dryRunEach } from '../../platform/retries/dry-run.ts';
import { type Created, draft, insertOrFind, toCreated } from './create-user.ts';
import { unmatchablePasswordHash } from './passwords.ts';
import type { NewUser } from './schemas.ts';

/** `check` compares the password, then returns or throws the result. `next` is the plan of what follows. */
type PlannedUser<Next> = { check: () => Promise<Created>; next: PromiseSettledResult<Next> | null };

/**
 * Plans `createUser` for each input without any effect. `then` is called for each user that exists or would be created,
 * in the transaction that is rolled back; it returns null if nothing follows.
 */
export async function planUsers<Next>(
  ctx: TenantContext,
  inputs: NewUser[],
  then: (ctx: TenantContext, index: number) => Promise<Next> | null,
): Promise<PlannedUser<Next>[]> {
  const drafts = await Promise.allSettled(inputs.map((input) => draft(ctx, input, unmatchablePasswordHash)));
  const outcomes = await dryRunEach(ctx, [...drafts.entries()], async (ctx, [index, drafted]) => {
    if (drafted.status === 'rejected') return { outcome: null, next: null };
    const outcome = await insertOrFind(ctx, drafted.value);
    const isUser = outcome !== null && !(outcome instanceof Problem);
    const following = isUser ? then(ctx, index) : null;
    return { outcome, next: following && (await refusalOrResult(following)) };
  });
  return drafts.map((drafted, index) => {
    const planned = outcomes[index];
    const check = async () => {
      if (drafted.status === 'rejected') throw drafted.reason;
      if (planned?.status !== 'fulfilled') throw planned?.reason;
      return toCreated(ctx, drafted.value, planned.value.outcome);
    };
    return { check, next: planned?.status === 'fulfilled' ? planned.value.next : null };
  });
}

/** Only a refusal concerns this row alone. After any other error, the whole plan is repeated row by row. */
async function refusalOrResult<Next>(following: Promise<Next>): Promise<PromiseSettledResult<Next>> {
  const [result] = await Promise.allSettled([following]);
  if (result.status === 'rejected' && !(result.reason instanceof Problem)) throw result.reason;
  return result;
}
