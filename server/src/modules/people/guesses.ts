import type { Context } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { keyedHash } from '../../platform/keys/signing.ts';
import { foldTenantName } from '../tenants/find-by-name.ts';
import { maxFailures, tooManyPasswords, windowMinutes } from '../users/check-user.ts';

/**
 * Identifies the attempted name without revealing it to anyone who reads the database. A tenant's ID and its name count
 * separately, because a common count would reveal that they belong together.
 */
export function nameHash(ctx: Context, input: { TenantID: string; LoginID: string }): string {
  return keyedHash(ctx.keys, 'guess', `${foldTenantName(input.TenantID)}\0${input.LoginID}`);
}

const note = `
with cleaned as (
  delete from sign_in_guess where name_mark in (
    select old.name_mark from sign_in_guess old where old.expires_at <= $2 and old.name_mark <> $1
    limit 10 for update skip locked
  )
), noted as (
  insert into sign_in_guess as known (name_mark, guessed_at, expires_at) values ($1, array[$2::timestamptz], $4)
  on conflict (name_mark) do update set expires_at = excluded.expires_at,
    guessed_at = array(select at from unnest(known.guessed_at) at where at > $3::timestamptz) || excluded.guessed_at
    where cardinality(array(select at from unnest(known.guessed_at) at where at > $3::timestamptz)) < ${maxFailures}
  returning name_mark
)
select exists (select from noted) as noted, (
  select min(at) from sign_in_guess known, unnest(known.guessed_at) at
  where known.name_mark = $1 and at > $3::timestamptz
) as oldest`;

/**
 * Counts the attempt as a failure before its result is known, as POST /user/check does, but for any name: the limit
 * must not reveal which users exist, and anonymous callers must not use up the attempts that POST /user/check allows.
 */
export async function recordGuess(ctx: Context, mark: string): Promise<void> {
  const now = ctx.now();
  const at = (minutes: number) => new Date(now.getTime() + minutes * 60_000);
  const values = [mark, now, at(-windowMinutes), at(windowMinutes)];
  const [row] = await run<{ noted: boolean; oldest: Date | null }>(ctx, {
    name: 'note_sign_in_guess',
    text: note,
    values,
  });
  if (!row?.noted) throw tooManyPasswords(ctx, row?.oldest ?? null);
}

export async function deleteGuesses(ctx: Context, mark: string): Promise<void> {
  await ctx.db.deleteFrom('sign_in_guess').where('name_mark', '=', mark).execute();
}
