import type { Context, TenantContext } from '../../../platform/context.ts';
import { run, transaction } from '../../../platform/db/transaction.ts';
import { appendAudit } from '../../audit/append.ts';
import { findBounced } from '../../mail/bounced.ts';
import { canMail, queueMails } from '../../mail/queue.ts';
import { newToken } from '../../tenants/token.ts';
import { hasUsablePassword } from '../passwords.ts';

const lifetimeMinutes = 60;
/**
 * Maximum links that a user may have. Further requests send nothing, so a mailbox cannot be
 * flooded.
 */
const maxLinks = 3;

const find = `
select account.user_id, account.login_id, account.first_name, account.last_name, account.email
from "user" account join tenant client on client.tenant_id = account.tenant_id
where account.tenant_id = $1 and account.login_id = $2 and account.enabled and ${hasUsablePassword}
for no key update of account`;

type Found = {
  user_id: string;
  login_id: string;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
};

const insert = `
insert into password_reset (tenant_id, link_hash, user_id, created_at, expires_at)
select $1, $2, $3, $4, $5 where (
  select count(*) from password_reset own where own.tenant_id = $1 and own.user_id = $3
) < ${maxLinks} returning 1`;

/** Emails a link to the user, if there is one who can use it. */
export async function requestReset(ctx: TenantContext, loginId: string): Promise<void> {
  const now = ctx.now();
  const expiresAt = new Date(now.getTime() + lifetimeMinutes * 60_000);
  await transaction(ctx, async (ctx) => {
    const [user] = await run<Found>(ctx, {
      name: 'find_reset_user',
      text: find,
      values: [ctx.tenantId, loginId],
    });
    if (!user || !canMail(ctx, user.email)) return;
    if ((await findBounced(ctx, [user.email])).size > 0) return;
    const { user_id: userId } = user;
    const { url, hash } = newResetLink(ctx, ctx.tenantId);
    await ctx.db
      .deleteFrom('password_reset')
      .where('tenant_id', '=', ctx.tenantId)
      .where('user_id', '=', userId)
      .where('expires_at', '<=', now)
      .execute();
    const values = [ctx.tenantId, hash, userId, now, expiresAt];
    const made = await run(ctx, { name: 'insert_reset', text: insert, values });
    if (made.length === 0) return;
    const names = { firstName: user.first_name, lastName: user.last_name, loginId: user.login_id };
    const content = { ...names, url };
    await queueMails(ctx, [{ userId, kind: 'password_reset', address: user.email, content, expiresAt }]);
    await appendAudit(ctx, ctx.tenantId, {
      action: 'password_reset.requested',
      targetId: userId,
      data: {},
    });
  });
}

/** The token is in the fragment, which browsers never send to a server. */
function newResetLink({ config }: Pick<Context, 'config'>, tenantId: string) {
  const { token, hash } = newToken(tenantId);
  return { url: `${config.baseUrl}/console/reset#${token}`, hash };
}
