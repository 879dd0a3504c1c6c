import type { Context, TenantContext } from '../../../platform/context.ts';
import { forTenant } from '../../../platform/db/owners.ts';
import { run, transaction } from '../../../platform/db/transaction.ts';
import { Problem } from '../../../platform/errors.ts';
import { isId } from '../../../platform/ids.ts';
import { foldCase } from '../../../platform/unicode.ts';
import { appendAudit } from '../../audit/append.ts';
import { appendEvents } from '../../events/append.ts';
import { findMailTenant, recordBounce } from '../../mail/bounces.ts';
import { shortened } from '../../mail/results.ts';
import { markUsers, withAddress } from './mark.ts';
import type { BounceReport, RecordedBounce } from './schemas.ts';

type Sent = {
  mail_id: string;
  user_id: string;
  login_id: string;
  address: string;
  bounce_kind: string | null;
};

const byId = {
  name: 'read_sent_mail',
  text: `
select held.mail_id, held.user_id, account.login_id, held.address, held.bounce_kind
from mail held join "user" account on account.tenant_id = $1 and account.user_id = held.user_id
where held.tenant_id = $1 and held.mail_id = $2`,
};

/** An email whose bounce has been recorded is found again, so that a repeated report changes nothing. */
const newestTo = {
  name: 'read_newest_mail',
  text: `
select newest.* from (${withAddress('$2')}) known cross join lateral (
  select held.mail_id, held.user_id, known.login_id, held.address, held.bounce_kind from mail held
  where held.tenant_id = $1 and held.user_id = known.user_id and held.status in ('sent', 'bounced')
    and held.folded_address = $2
  order by held.mail_id desc limit 1
) newest order by newest.mail_id desc limit 1`,
};

/** Records a bounce that a mail provider reported. The operator need not name a tenant if the MessageID is known. */
export async function reportBounce(
  ctx: Context & { readonly tenantId?: string },
  input: BounceReport,
): Promise<RecordedBounce> {
  const mailId = mailIdIn(input.MessageID);
  const { EmailAddress } = input;
  if (input.MessageID === undefined && EmailAddress === undefined)
    throw new Problem('validation_failed', 'Send the MessageID of the email, its EmailAddress, or both.', {
      param: 'MessageID',
    });
  const tenantId = ctx.tenantId ?? (await tenantOf(ctx, mailId, EmailAddress));
  return transaction(forTenant(ctx, tenantId), async (ctx) => {
    const mail =
      (mailId === null ? null : await readSent(ctx, byId, mailId)) ??
      (EmailAddress === undefined ? null : await readSent(ctx, newestTo, foldCase(EmailAddress)));
    const address = mail?.address ?? EmailAddress;
    if (address === undefined) throw mailNotFound();
    return record(ctx, { mail, address, input });
  });
}

/** The ID in `<ID@domain>`, or in the forms without brackets or domain. */
function mailIdIn(messageId: string | undefined): string | null {
  const [, id = ''] = /^\s*<?([^<>@\s]+)/.exec(messageId ?? '') ?? [];
  return isId(id.toLowerCase()) ? id.toLowerCase() : null;
}

async function tenantOf(ctx: Context, mailId: string | null, address: string | undefined): Promise<string> {
  const tenantId = mailId === null ? null : await findMailTenant(ctx, mailId);
  if (tenantId !== null) return tenantId;
  if (address === undefined) throw mailNotFound();
  throw new Problem(
    'tenant_required',
    'Without the MessageID of a known email, the service cannot find the tenant. Send a TenantID in the Tenant header.',
    { param: 'Tenant' },
  );
}

function mailNotFound(): Problem {
  return new Problem(
    'mail_not_found',
    'The service has no such email, and no user has this address. If another system sent the email, ignore the bounce.',
  );
}

type Query = { name: string; text: string };

async function readSent(ctx: TenantContext, query: Query, value: string): Promise<Sent | null> {
  const [mail] = await run<Sent>(ctx, { ...query, values: [ctx.tenantId, value] });
  return mail ?? null;
}

type Bounce = { mail: Sent | null; address: string; input: BounceReport };

async function record(ctx: TenantContext, { mail, address, input }: Bounce): Promise<RecordedBounce> {
  const { Kind } = input;
  const at = ctx.now();
  const Reason = shortened(input.Reason?.trim() ?? '') || null;
  // Marks the users first, because other changes lock users before their emails.
  // The bounce may have been cleared since it was first reported.
  const isKnown = mail?.bounce_kind === 'permanent';
  const marked = Kind === 'permanent' ? await markUsers(ctx, { address, at, reason: Reason, isKnown }) : [];
  if (!mail && marked.length === 0) throw mailNotFound();
  const isNew = mail
    ? await recordBounce(ctx, { mailId: mail.mail_id, kind: Kind, at, reason: Reason })
    : false;
  const affected = new Map(marked.flatMap((user) => (user.is_new ? [[user.user_id, user.login_id]] : [])));
  if (mail && isNew) affected.set(mail.user_id, mail.login_id);
  const users = [...affected];
  await appendEvents(
    ctx,
    users.map(([userId, LoginID]) => {
      const MailID = mail?.user_id === userId ? mail.mail_id : null;
      return {
        type: 'mail.bounced',
        userId,
        data: { LoginID, EmailAddress: address, Kind, Reason, MailID },
      };
    }),
  );
  await appendAudit(
    ctx,
    ctx.tenantId,
    ...users.map(([targetId]) => ({ action: 'mail.bounced' as const, targetId, data: { Kind } })),
  );
  return { MailID: mail?.mail_id ?? null, Users: marked.length };
}
