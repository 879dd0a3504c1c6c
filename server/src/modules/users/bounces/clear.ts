import { tenantNow } from '../../../platform/clocks.ts';
import type { TenantContext } from '../../../platform/context.ts';
import { run, transaction } from '../../../platform/db/transaction.ts';
import { appendAudit } from '../../audit/append.ts';
import { appendEvents } from '../../events/append.ts';
import { userNotFound } from '../users.ts';

const clear = `
with known as (
  select account.user_id from "user" account
  where account.tenant_id = $1 and account.email_bounced_at is not null
    and lower(account.email) collate "C" = lower($2) collate "C"
  order by account.login_id for no key update
)
update "user" own set email_bounced_at = null, email_bounce_reason = null, updated_at = $3 from known
where own.tenant_id = $1 and own.user_id = known.user_id
returning own.user_id, own.login_id`;

type Cleared = { user_id: string; login_id: string };

/** Allows emails to the user's address again, also for all other users with this address. */
export async function clearBounce(ctx: TenantContext, input: { loginId: string }): Promise<void> {
  await transaction(ctx, async (ctx) => {
    const user = await ctx.db
      .selectFrom('user')
      .select('email')
      .where('tenant_id', '=', ctx.tenantId)
      .where('login_id', '=', input.loginId)
      .executeTakeFirst();
    if (!user) throw userNotFound();
    if (user.email === null) return;
    const values = [ctx.tenantId, user.email, tenantNow(ctx)];
    const cleared = await run<Cleared>(ctx, { name: 'clear_bounce', text: clear, values });
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
  });
}
