import type { TenantContext } from '../../platform/context.ts';
import { Problem } from '../../platform/errors.ts';
import { dryRunEach, submitEach } from '../../platform/retries/dry-run.ts';
import type { Submission } from '../../platform/retries/verb.ts';
import { checkPasswordGuess } from './check-user.ts';
import { type Created, creating, draft, type Known, toCreated, type UserDraft } from './create-user.ts';
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
  then: (ctx: TenantContext, index: number) => Promise<Submission<Next>> | null,
): Promise<PlannedUser<Next>[]> {
  const drafts = await Promise.allSettled(inputs.map((input) => draft(ctx, input, unmatchablePasswordHash)));
  const outcomes = await dryRunEach(ctx, [...drafts.entries()], async (ctx, rows) => {
    const users = await submitEach(ctx, rows, async (ctx, [, drafted]) => {
      if (drafted.status === 'rejected') throw drafted.reason;
      return creating(ctx, drafted.value, (outcome) => outcome);
    });
    const following = rows.flatMap(([index], at) => {
      const user = users[at];
      const isUser = user?.status === 'fulfilled' && user.value && !(user.value instanceof Problem);
      const next = isUser ? then(ctx, index) : null;
      return next ? [{ at, next }] : [];
    });
    const nexts = await submitEach(ctx, following, (_, { next }) => next);
    return rows.map((_, at) => ({
      user: users[at],
      next: nexts[following.findIndex((one) => one.at === at)] ?? null,
    }));
  });
  return drafts.map((drafted, index) => {
    const planned = outcomes[index];
    const user = planned?.status === 'fulfilled' ? planned.value.user : planned;
    const check = async () => {
      if (drafted.status === 'rejected') throw drafted.reason;
      if (user?.status !== 'fulfilled') throw user?.reason;
      return toCreated(await compared(ctx, drafted.value, user.value), user.value);
    };
    return { check, next: planned?.status === 'fulfilled' ? planned.value.next : null };
  });
}

/** Compares the password of an existing user after the plan, because hashing is slow. */
async function compared(
  ctx: TenantContext,
  drafted: UserDraft,
  outcome: Known | Problem | null,
): Promise<UserDraft> {
  const { password, row } = drafted;
  if (password === null || !outcome || outcome instanceof Problem || outcome.isNew || outcome.changed)
    return drafted;
  const found = await checkPasswordGuess(ctx, { loginId: row.login_id, password });
  return {
    ...drafted,
    compared: { stored: outcome.row.password_hash, matches: found?.matches ?? false },
  };
}
