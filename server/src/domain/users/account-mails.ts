import { ownRows } from '../../db/own-rows.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import type { MailKind } from '../mail/kinds.ts';
import { canMail, findQueued, queueMails } from '../mail/queue.ts';

/** Long enough for a mail server that is down over a weekend. */
const keptDays = 7;

type Change = {
  userId: string;
  kind: Extract<MailKind, 'password_changed' | 'passkey_added' | 'passkey_removed'>;
  /** Whether the user made the change, rather than an administrator or an application. */
  isOwn: boolean;
  /** Whether all passkeys were removed. */
  isAll?: boolean;
};

/**
 * Emails a user about a change to the account that somebody else may have made, unless such an email already waits in
 * the queue. Call it in the change's transaction. The lock makes changes on other nodes wait for this one.
 */
export async function mailAccountChange(ctx: TenantContext, change: Change): Promise<void> {
  if (ctx.config.mail === null) return;
  const { userId, kind, isOwn, isAll = false } = change;
  const user = await ownRows(ctx, 'user', { user_id: userId })
    .select(['login_id', 'first_name', 'last_name', 'email', 'enabled'])
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!user?.enabled || !canMail(ctx, user.email)) return;
  if ((await findQueued(ctx, { userId, kind, address: user.email })) !== null) return;
  const now = ctx.now();
  const content = {
    firstName: user.first_name,
    lastName: user.last_name,
    loginId: user.login_id,
    url: null,
    change: { at: now.toISOString(), isOwn, isAll },
  };
  const expiresAt = new Date(now.getTime() + keptDays * 86_400_000);
  await queueMails(ctx, [{ userId, kind, address: user.email, content, expiresAt }]);
}
