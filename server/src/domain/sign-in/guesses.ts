import { run, transaction } from '../../db/transaction.ts';
import type { Context } from '../../infra/context/context.ts';
import { keyedHash } from '../../infra/keys/key-ring.ts';
import { fold } from '../../lib/unicode.ts';
import { maxFailures, tooManyPasswords, windowMinutes } from '../users/check-user.ts';

/**
 * Identifies the attempted name without revealing it to anyone who reads the database. A tenant's
 * ID and its name are counted separately, because a common count would reveal that they belong
 * together.
 */
export function nameHash(ctx: Context, input: { TenantID: string; LoginID: string }): string {
  return keyedHash(ctx.keys, 'guess', `${fold(input.TenantID)}\0${input.LoginID}`);
}

/** Requests for a link are counted separately, so they do not use up sign-in attempts. */
export function resetHash(ctx: Context, input: { TenantID: string; LoginID: string }): string {
  return keyedHash(ctx.keys, 'guess', `reset ${fold(input.TenantID)}\0${input.LoginID}`);
}

const clean = `
delete from sign_in_guess where name_mark in (
  select old.name_mark from sign_in_guess old where old.expires_at <= $2 and old.name_mark <> $1
  limit 10 for update skip locked
)`;

/** Creates the row if there is none, because a successful sign-in deletes it. */
const lock = `
insert into sign_in_guess as known (name_mark, guessed_at, expires_at) values ($1, '{}', $2)
on conflict (name_mark) do update set expires_at = known.expires_at
returning known.guessed_at`;

/**
 * Counts the attempt as a failure before its result is known. The limit applies to every name, so that it
 * does not reveal which users exist. Anonymous callers must not use up the attempts that POST /user/check
 * allows, so those attempts are counted separately.
 */
export async function recordGuess(ctx: Context, mark: string, max = maxFailures): Promise<void> {
  const now = ctx.now();
  const window = windowMinutes * 60_000;
  const row = { name_mark: mark, guessed_at: [now], expires_at: new Date(now.getTime() + window) };
  await transaction(ctx, async (ctx) => {
    await run(ctx, clean, [mark, now]);
    const [known] = await run<{ guessed_at: Date[] }>(ctx, lock, [mark, row.expires_at]);
    const recent = (known?.guessed_at ?? []).filter((at) => at.getTime() > now.getTime() - window);
    if (recent.length >= max) throw tooManyPasswords(ctx, recent[0] ?? null);
    await ctx.db
      .updateTable('sign_in_guess')
      .set({ ...row, guessed_at: [...recent, now] })
      .where('name_mark', '=', mark)
      .execute();
  });
}

export async function deleteGuesses(ctx: Context, mark: string): Promise<void> {
  await ctx.db.deleteFrom('sign_in_guess').where('name_mark', '=', mark).execute();
}
