import { tenantNow } from '../../../platform/clocks.ts';
import type { TenantContext } from '../../../platform/context.ts';
import { inBatches, readByIndex, runInOrder } from '../../../platform/db/batches.ts';
import { run, transaction } from '../../../platform/db/transaction.ts';
import { appendAudit } from '../../audit/append.ts';
import { appendEvents } from '../../events/append.ts';
import { userNotFound } from '../users.ts';

/** The index `user_bounced` has this order, so a batch reads no other users, and no user is read twice. */
const others = `
select account.user_id, account.login_id from "user" account
where account.tenant_id = $1 and account.email_bounced_at is not null and account.user_id <> $3::uuid
  and (account.folded_email, account.login_id) > ($2, $4)
  and account.folded_email <= $2
order by account.folded_email, account.login_id limit $5 for no key update`;

const own = `
select account.user_id, account.login_id from "user" account
where account.tenant_id = $1 and account.user_id = $3::uuid and account.email_bounced_at is not null
  and account.folded_email = $2
for no key update`;

const lockOthers = { name: 'lock_other_bounced_users', text: others };
const lockOwn = { name: 'lock_bounced_user', text: own };

const clear = {
  name: 'clear_bounces',
  text: `
update "user" own set email_bounced_at = null, email_bounce_reason = null, updated_at = $3
where own.tenant_id = $1 and own.user_id = any($2::uuid[])`,
};

const maxBatch = 200;

type Cleared = { user_id: string; login_id: string };

/**
 * Allows emails to the user's address again, also for all other users with this address, in short transactions. The
 * user is the last one, and the address is blocked until then. After a crash, the bounce is thus still shown, and
 * another call clears the rest.
 */
export async function clearBounce(ctx: TenantContext, input: { loginId: string }): Promise<void> {
  const user = await ctx.db
    .selectFrom('user')
    .select(['user_id', 'folded_email'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('login_id', '=', input.loginId)
    .executeTakeFirst();
  if (!user) throw userNotFound();
  const { user_id: userId, folded_email: email } = user;
  if (email === null) return;
  const values = [ctx.tenantId, email, userId];
  let after = '';
  await inBatches(ctx, maxBatch, async (ctx, rows) => {
    const cleared = await runInOrder<Cleared>(ctx, { ...lockOthers, values: [...values, after, rows] });
    await clearLocked(ctx, cleared);
    after = cleared.at(-1)?.login_id ?? after;
    return cleared.length;
  });
  await transaction(ctx, async (ctx) => clearLocked(ctx, await run<Cleared>(ctx, { ...lockOwn, values })));
}

async function clearLocked(ctx: TenantContext, cleared: readonly Cleared[]): Promise<void> {
  if (cleared.length === 0) return;
  // In a small table, PostgreSQL would read all users.
  await readByIndex(ctx);
  const userIds = cleared.map(({ user_id }) => user_id);
  await run(ctx, { ...clear, values: [ctx.tenantId, userIds, tenantNow(ctx)] });
  await appendEvents(
    ctx,
    cleared.map(({ user_id: userId, login_id: LoginID }) => ({
      type: 'user.updated',
      userId,
      data: { LoginID, Changed: ['EmailBouncedAt'] },
    })),
  );
  await appendAudit(
    ctx,
    ctx.tenantId,
    ...cleared.map(({ user_id: targetId }) => ({
      action: 'mail.bounce_cleared' as const,
      targetId,
      data: {},
    })),
  );
}
