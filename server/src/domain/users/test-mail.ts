import { ownRows } from '../../db/own-rows.ts';
import { run, transaction } from '../../db/transaction.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import { invalid, Problem } from '../../lib/errors.ts';
import { audit } from '../audit/chain.ts';
import type { Mail } from '../mail/kinds.ts';
import { canMail, findQueued, queueMails } from '../mail/queue.ts';
import { type MailRow, toMail } from './list-mails.ts';
import { userNotFound } from './users.ts';

/** An answer that takes longer says nothing about the mail server any more. */
const keptMinutes = 60;

const one = `
select held.*, account.login_id from mail held
join "user" account on account.tenant_id = $1 and account.user_id = held.user_id
where held.tenant_id = $1 and held.mail_id = $2`;

async function readMail(ctx: TenantContext, mailId: string): Promise<Mail> {
  const [row] = await run<MailRow>(ctx, one, [ctx.tenantId, mailId]);
  if (!row) throw new Error('a queued email is missing');
  return toMail(row);
}

/** Sends an email that only shows that email works. While one is waiting, returns that one. */
export async function sendTestMail(ctx: TenantContext, loginId: string): Promise<Mail> {
  if (ctx.config.mail === null)
    throw new Problem(
      'mail_not_configured',
      'The operator has not set SMTP_URL. Ask the operator to set it.',
    );
  return transaction(ctx, async (ctx) => {
    const user = await ownRows(ctx, 'user', { login_id: loginId })
      .select(['user_id', 'login_id', 'first_name', 'last_name', 'email'])
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!user) throw userNotFound();
    const { user_id: userId, email: address } = user;
    if (!canMail(ctx, address)) throw notDelivered('has no valid email address. Change Email.');
    const kind = 'test';
    const waiting = await findQueued(ctx, { userId, kind, address });
    if (waiting !== null) return readMail(ctx, waiting);
    const expiresAt = new Date(ctx.now().getTime() + keptMinutes * 60_000);
    const content = {
      firstName: user.first_name,
      lastName: user.last_name,
      loginId: user.login_id,
      url: null,
    };
    const [mailId] = await queueMails(ctx, [{ userId, kind, address, content, expiresAt }]);
    if (!mailId) throw notDelivered('has an address to which emails bounced. Clear the bounce first.');
    await audit(ctx, 'mail.test_requested', userId);
    return readMail(ctx, mailId);
  });
}

const notDelivered = (why: string) => invalid('LoginID', `The user ${why}`);
