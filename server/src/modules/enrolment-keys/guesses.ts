import type { TenantContext } from '../../platform/context.ts';
import { run } from '../../platform/db/transaction.ts';
import { Problem } from '../../platform/errors.ts';

const windowMinutes = 15;
const maxGuesses = 10;

const addText = 'insert into key_guess (tenant_id, user_id) values ($1, $2) on conflict do nothing';

const forgetText = `
update key_guess set guessed_at = array(select at from unnest(key_guess.guessed_at) at where at > $3::timestamptz)
where tenant_id = $1 and user_id = $2 returning guessed_at`;

/** Locks the user's guesses, so that concurrent guesses cannot exceed the limit. Throws if there are too many. */
export async function limitGuesses(ctx: TenantContext, userId: string): Promise<void> {
  const now = ctx.now().getTime();
  const since = new Date(now - windowMinutes * 60_000);
  await run(ctx, { name: 'add_key_guesses', text: addText, values: [ctx.tenantId, userId] });
  const [row] = await run<{ guessed_at: Date[] }>(ctx, {
    name: 'limit_key_guesses',
    text: forgetText,
    values: [ctx.tenantId, userId, since],
  });
  const [oldest] = row?.guessed_at ?? [];
  if (!oldest || (row?.guessed_at.length ?? 0) < maxGuesses) return;
  const retryAfter = Math.max(1, Math.ceil((oldest.getTime() + windowMinutes * 60_000 - now) / 1000));
  throw new Problem(
    'key_throttled',
    `This user tried too many unknown enrolment keys. Try again in ${retryAfter} s.`,
    { retryAfter },
  );
}

export async function recordGuess(ctx: TenantContext, userId: string): Promise<void> {
  await run(ctx, {
    name: 'note_key_guess',
    text: `update key_guess set guessed_at = guessed_at || $3::timestamptz where tenant_id = $1 and user_id = $2`,
    values: [ctx.tenantId, userId, ctx.now()],
  });
}
