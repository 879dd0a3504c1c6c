import { ownRows, updateOwn } from '../../db/own-rows.ts';
import { run, transaction } from '../../db/transaction.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { asService } from '../../infra/context/scopes.ts';
import { codeOf, type ErrorCode, Problem } from '../../lib/errors.ts';
import { type Enrolled, enrolInTransaction } from '../enrolments/enrol.ts';
import { selectEnrolments, toEnrolment } from '../enrolments/record/record.ts';
import type { Enrolment } from '../enrolments/record/schemas.ts';
import { appendEvents } from '../events/append.ts';
import { groupsOf } from '../users/groups.ts';
import { updateUser } from '../users/update-users.ts';
import { userNotFound } from '../users/users.ts';
import { readKey } from './key-text.ts';
import { lockKey } from './keys.ts';
import { type KeyRow, keyNotFound, keyStatus } from './record.ts';
import type { KeyRedemption, RedeemedKey } from './schemas.ts';

const windowMinutes = 15;
const maxGuesses = 10;

const addText = 'insert into key_guess (tenant_id, user_id) values ($1, $2) on conflict do nothing';

const forgetText = `
update key_guess set guessed_at = array(select at from unnest(key_guess.guessed_at) at where at > $3::timestamptz)
where tenant_id = $1 and user_id = $2 returning guessed_at`;

/** Locks the user's guesses, so that concurrent guesses cannot exceed the limit. Throws if there are too many. */
async function limitGuesses(ctx: TenantContext, userId: string): Promise<void> {
  const now = ctx.now().getTime();
  const since = new Date(now - windowMinutes * 60_000);
  await run(ctx, addText, [ctx.tenantId, userId]);
  const [row] = await run<{ guessed_at: Date[] }>(ctx, forgetText, [ctx.tenantId, userId, since]);
  const [oldest] = row?.guessed_at ?? [];
  if (!oldest || (row?.guessed_at.length ?? 0) < maxGuesses) return;
  const retryAfter = Math.max(1, Math.ceil((oldest.getTime() + windowMinutes * 60_000 - now) / 1000));
  throw new Problem(
    'key_throttled',
    `This user tried too many unknown enrolment keys. Try again in ${retryAfter} s.`,
    { retryAfter },
  );
}

async function recordGuess(ctx: TenantContext, userId: string): Promise<void> {
  await run(
    ctx,
    `update key_guess set guessed_at = guessed_at || $3::timestamptz where tenant_id = $1 and user_id = $2`,
    [ctx.tenantId, userId, ctx.now()],
  );
}

export type RedeemInput = KeyRedemption & { loginId: string; key: string };
type RedeemingUser = { user_id: string; group_name: string | null; other_groups: string[] };
type Redemption = { redeemed: RedeemedKey; isNew: boolean };

/** Maximum number of attempts. A conflict with another transaction can cause a unique violation or a deadlock. */
const maxAttempts = 3;

/**
 * Enrols a user on all courses of a key and marks it as redeemed. Both happen in one transaction that locks
 * the key's row. Repeating the call for the same user returns the same result.
 */
export function redeemKey(ctx: TenantContext, input: RedeemInput): Promise<Redemption> {
  return withUsableKey(ctx, input, async (ctx, row, user) =>
    row.redeemed_by === user.user_id
      ? { redeemed: await repeated(ctx, row), isNew: false }
      : { redeemed: await redeem(ctx, row, user, input), isNew: true },
  );
}

type Work<T> = (ctx: TenantContext, row: KeyRow, user: RedeemingUser) => Promise<T>;

/** Runs `work` with a key that the user can redeem or has redeemed. Counts unknown keys as guesses. */
export async function withUsableKey<T>(ctx: TenantContext, input: RedeemInput, work: Work<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await withKeyOnce(ctx, input, work);
    } catch (error) {
      const raced = ['23505', '40P01'].includes(codeOf(error));
      if (!raced || attempt === maxAttempts) throw error;
    }
  }
}

async function withKeyOnce<T>(ctx: TenantContext, input: RedeemInput, work: Work<T>): Promise<T> {
  const key = readKey(input.key);
  const found = await transaction(ctx, async (ctx) => {
    const user = await lockRedeemer(ctx, input.loginId);
    await limitGuesses(ctx, user.user_id);
    const row = await lockKey(ctx, key);
    if (!row) {
      // Do not throw here, because a rollback would remove the guess from the count.
      await recordGuess(ctx, user.user_id);
      return null;
    }
    const refused = row.redeemed_by === user.user_id ? null : refusal(row, user, tenantNow(ctx));
    if (refused) throw refused;
    return { result: await work(ctx, row, user) };
  });
  if (!found) throw keyNotFound();
  return found.result;
}

/** Locks the user first, as an erasure does. */
async function lockRedeemer(ctx: TenantContext, loginId: string): Promise<RedeemingUser> {
  const user = await ownRows(ctx, 'user', { login_id: loginId })
    .select(['user_id', 'group_name', 'other_groups'])
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!user) throw userNotFound();
  return user;
}

/** Error codes for redeeming a key, in addition to those for enrolling. */
export const redeemProblems = [
  'key_not_found',
  'key_mistyped',
  'key_throttled',
  'key_redeemed',
  'key_revoked',
  'key_expired',
  'key_not_yet_valid',
  'key_of_other_user',
  'key_of_other_group',
] as const satisfies readonly ErrorCode[];

function refusal(row: KeyRow, user: RedeemingUser, now: Date): Problem | null {
  const param = { param: 'Key' };
  const status = keyStatus(row, now);
  if (status === 'redeemed')
    return new Problem('key_redeemed', 'This enrolment key has already been used. Use another one.', param);
  if (row.user_id !== null && row.user_id !== user.user_id)
    return new Problem(
      'key_of_other_user',
      'This enrolment key was issued for another user. Only they can redeem it.',
      param,
    );
  if (status === 'revoked')
    return new Problem(
      'key_revoked',
      'This enrolment key was revoked. Ask the person who gave it to you for another one.',
      param,
    );
  if (status === 'expired')
    return new Problem(
      'key_expired',
      `This enrolment key expired on ${row.valid_until.toISOString()}. Ask the person who gave it to you for another one.`,
      { ...param, ValidUntil: row.valid_until.toISOString() },
    );
  if (status === 'scheduled')
    return new Problem(
      'key_not_yet_valid',
      `This enrolment key is valid from ${row.valid_from.toISOString()}. Try again then.`,
      { ...param, ValidFrom: row.valid_from.toISOString() },
    );
  if (row.group_name !== null && user.group_name !== null && !groupsOf(user).includes(row.group_name))
    return new Problem(
      'key_of_other_group',
      "This enrolment key is for users of another group. Use a key for the user's own group.",
      param,
    );
  return null;
}

/** Adds a user without a group to the key's group, and enrols them on all courses of the key or on none. */
export async function enrolWithKey(
  ctx: TenantContext,
  row: KeyRow,
  user: RedeemingUser,
  input: RedeemInput,
): Promise<Enrolled[]> {
  if (row.group_name !== null && user.group_name === null)
    await updateUser(asService(ctx), { loginId: input.loginId, GroupName: row.group_name });
  return enrolInTransaction(
    ctx,
    row.course_ids.map((courseId, at) => ({
      loginId: input.loginId,
      courseId,
      durationId: row.duration_ids[at] ?? '',
      IfEnrolled: input.IfEnrolled ?? 'fail',
    })),
  );
}

async function redeem(
  ctx: TenantContext,
  row: KeyRow,
  user: RedeemingUser,
  input: RedeemInput,
): Promise<RedeemedKey> {
  const enrolments = (await enrolWithKey(ctx, row, user, input)).map(({ enrolment }) => enrolment);
  const enrollIds = enrolments.map(({ EnrollID }) => EnrollID);
  const now = tenantNow(ctx);
  await updateOwn(ctx, 'enrolment_key', { key_id: row.key_id })
    .set({ redeemed_at: now, redeemed_by: user.user_id, enroll_ids: enrollIds })
    .execute();
  const data = { KeyID: row.key_id, PurchaseOrder: row.purchase_order, EnrollIDs: enrollIds };
  await appendEvents(ctx, [{ type: 'key.redeemed', userId: user.user_id, data }]);
  return { KeyID: row.key_id, RedeemedAt: now.toISOString(), Enrolments: enrolments };
}

/** Returns the enrolments of a redeemed key in the order of its courses. */
export async function redeemedEnrolments(ctx: TenantContext, row: KeyRow): Promise<Enrolment[]> {
  const enrollIds = row.enroll_ids ?? [];
  const rows = await selectEnrolments(ctx)
    .where((where) => where('enrolment.enroll_id', '=', where.fn.any(where.val(enrollIds))))
    .execute();
  rows.sort((a, b) => enrollIds.indexOf(a.enroll_id) - enrollIds.indexOf(b.enroll_id));
  return rows.map((enrolment) => toEnrolment(ctx, enrolment));
}

async function repeated(ctx: TenantContext, row: KeyRow): Promise<RedeemedKey> {
  return {
    KeyID: row.key_id,
    RedeemedAt: (row.redeemed_at ?? tenantNow(ctx)).toISOString(),
    Enrolments: await redeemedEnrolments(ctx, row),
  };
}
