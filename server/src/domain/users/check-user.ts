import { deleteOwn, ownRows } from '../../db/own-rows.ts';
import { run } from '../../db/transaction.ts';
import { rejectManyHashes } from '../../infra/calls/limits.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { countSignInFailure } from '../../infra/context/counters.ts';
import { Problem } from '../../lib/errors.ts';
import { recordFailedSignIn } from '../audit/failures.ts';
import { knownTenant } from '../tenants/tenants.ts';
import { matchesPassword, readPassword } from './passwords.ts';
import type { CheckResult } from './schemas.ts';

/** Maximum number of wrong passwords in this many minutes. */
export const windowMinutes = 15;
export const maxFailures = 10;

/** `oldest` is the time of the first wrong password that still counts. */
export function tooManyPasswords(ctx: Context, oldest: Date | null): Problem {
  const now = ctx.now().getTime();
  const until = (oldest?.getTime() ?? now) + windowMinutes * 60_000;
  const retryAfter = Math.max(1, Math.ceil((until - now) / 1000));
  const detail = `Too many wrong passwords for this user. Try again in ${retryAfter} s.`;
  return new Problem('login_throttled', detail, { retryAfter });
}

/** 1 enabled, 0 disabled, -1 not found. */
export async function checkUser(ctx: TenantContext, input: { loginId: string }): Promise<CheckResult> {
  const row = await ownRows(ctx, 'user', { login_id: input.loginId }).select('enabled').executeTakeFirst();
  return { LoginID: input.loginId, Result: row ? Number(row.enabled) : -1 };
}

/**
 * Counts the attempt as a failure before its result is known, so that concurrent guesses cannot exceed the
 * limit. $5 is true if attempts for a disabled user count too.
 */
const noteAttempt = `
with found as (
  select known.user_id, known.enabled, known.password_hash from "user" known
  where known.tenant_id = $1 and known.login_id = $2
), noted as (
  insert into password_failure as failure (tenant_id, user_id, failed_at)
  select $1, found.user_id, array[$3::timestamptz] from found where found.enabled or $5::boolean
  on conflict (tenant_id, user_id) do update
    set failed_at = array(select at from unnest(failure.failed_at) at where at > $4::timestamptz) || $3::timestamptz
    where cardinality(array(select at from unnest(failure.failed_at) at where at > $4::timestamptz)) < ${maxFailures}
  returning user_id
)
select found.*, exists (select from noted) as noted, (
  select min(at) from password_failure failure, unnest(failure.failed_at) at
  where failure.tenant_id = $1 and failure.user_id = found.user_id and at > $4::timestamptz
) as oldest from found`;

type Attempt = {
  user_id: string;
  enabled: boolean;
  password_hash: string;
  noted: boolean;
  oldest: Date | null;
};

/** Throws after too many recent failures. Returns null if the user does not exist. */
async function recordGuess(
  ctx: TenantContext,
  input: { loginId: string; evenDisabled: boolean },
): Promise<Attempt | null> {
  rejectManyHashes(ctx);
  const now = ctx.now();
  const since = new Date(now.getTime() - windowMinutes * 60_000);
  const values = [ctx.tenantId, input.loginId, now, since, input.evenDisabled];
  const [attempt] = await run<Attempt>(ctx, noteAttempt, values);
  const isGuess = attempt && (attempt.enabled || input.evenDisabled);
  if (isGuess && !attempt.noted) throw tooManyPasswords(ctx, attempt.oldest);
  return attempt ?? null;
}

/** 1 valid, 0 disabled, -1 not found, -2 wrong password. The response time is the same in each case. */
export async function checkPassword(
  ctx: TenantContext,
  input: { loginId: string; password: string },
): Promise<CheckResult> {
  const declared = (await knownTenant.get(ctx, ctx.tenantId))?.PasswordHash ?? 'opaque';
  const password = readPassword(input.password, declared);
  const attempt = await recordGuess(ctx, { loginId: input.loginId, evenDisabled: false });
  const matches = await matchesPassword(ctx, attempt?.enabled ? attempt.password_hash : null, password);
  if (attempt && matches) await forgetFailures(ctx, attempt.user_id);
  if (!matches) await noteFailure(ctx, attempt?.user_id ?? null);
  const result = !attempt ? -1 : !attempt.enabled ? 0 : matches ? 1 : -2;
  return { LoginID: input.loginId, Result: result };
}

/**
 * Compares a password in its stored form with the password of a user, who need not exist. The result reveals
 * whether the password is correct, so the comparison counts as a guess. Returns null if the user does not
 * exist.
 */
export async function checkPasswordGuess(
  ctx: TenantContext,
  input: { loginId: string; password: string },
): Promise<{ stored: string; matches: boolean } | null> {
  const attempt = await recordGuess(ctx, { loginId: input.loginId, evenDisabled: true });
  if (!attempt) return null;
  const { password_hash: stored, user_id: userId } = attempt;
  const matches = await matchesPassword(ctx, stored, input.password);
  if (matches) await forgetFailures(ctx, userId);
  else await noteFailure(ctx, userId);
  return { stored, matches };
}

async function noteFailure(ctx: TenantContext, userId: string | null): Promise<void> {
  countSignInFailure(ctx, 'check');
  await recordFailedSignIn(ctx, ctx.tenantId, { method: 'check', userId });
}

async function forgetFailures(ctx: TenantContext, userId: string): Promise<void> {
  await deleteOwn(ctx, 'password_failure', { user_id: userId }).execute();
}
