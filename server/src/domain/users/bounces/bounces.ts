import { inBatches, readByIndex, runInOrder } from '../../../db/batches.ts';
import { ownRows } from '../../../db/own-rows.ts';
import { forTenant, run, transaction } from '../../../db/transaction.ts';
import { type Context, type TenantContext, tenantNow } from '../../../infra/context/context.ts';
import { invalid, Problem } from '../../../lib/errors.ts';
import { isId } from '../../../lib/ids.ts';
import { foldCase } from '../../../lib/unicode.ts';
import { appendAudit } from '../../audit/chain.ts';
import { appendEvents } from '../../events/append.ts';
import { findMailTenant, recordBounce } from '../../mail/bounces.ts';
import { shortened } from '../../mail/results.ts';
import { userNotFound } from '../users.ts';
import type { BounceReport, RecordedBounce } from './schemas.ts';

/** More users may share an address. They get no email either, but are not marked. */
const maxUsers = 200;

/** SQL: the users of the tenant $1 with this folded address, in the order in which other changes lock them. */
const withAddress = (address: string) => `
  select account.user_id, account.login_id from "user" account
  where account.tenant_id = $1 and account.folded_email = ${address}
  order by account.login_id limit ${maxUsers}`;

const lock = `${withAddress('$2')} for no key update`;

/**
 * The users are locked by a statement of their own. Statements that both lock and update users deadlocked with each other
 * while these users were being enrolled.
 */
const mark = `
update "user" own set email_bounced_at = $3, email_bounce_reason = $4, updated_at = $5
where own.tenant_id = $1 and own.user_id = any($2::uuid[]) and own.email_bounced_at is null
returning own.user_id`;

type Found = { user_id: string; login_id: string };

type MarkedUser = Found & { is_new: boolean };

/**
 * Marks all users with this address, unless the bounce is known. `is_new` is false for those who were not marked now.
 */
async function markUsers(
  ctx: TenantContext,
  { address, at, reason, isKnown }: { address: string; at: Date; reason: string | null; isKnown: boolean },
): Promise<MarkedUser[]> {
  const known = await run<Found>(ctx, lock, [ctx.tenantId, foldCase(address)]);
  if (isKnown || known.length === 0) return known.map((user) => ({ ...user, is_new: false }));
  const values = [ctx.tenantId, known.map(({ user_id }) => user_id), at, reason, tenantNow(ctx)];
  // In a small table, PostgreSQL would read all users.
  await readByIndex(ctx);
  const marked = await run<{ user_id: string }>(ctx, mark, values);
  const isNew = new Set(marked.map(({ user_id }) => user_id));
  return known.map((user) => ({ ...user, is_new: isNew.has(user.user_id) }));
}

/** The index `user_bounced` has this order, so a batch reads no other users, and no user is read twice. */
const lockOthers = `
select account.user_id, account.login_id from "user" account
where account.tenant_id = $1 and account.email_bounced_at is not null and account.user_id <> $3::uuid
  and (account.folded_email, account.login_id) > ($2, $4)
  and account.folded_email <= $2
order by account.folded_email, account.login_id limit $5 for no key update`;

const lockOwn = `
select account.user_id, account.login_id from "user" account
where account.tenant_id = $1 and account.user_id = $3::uuid and account.email_bounced_at is not null
  and account.folded_email = $2
for no key update`;

const clear = `
update "user" own set email_bounced_at = null, email_bounce_reason = null, updated_at = $3
where own.tenant_id = $1 and own.user_id = any($2::uuid[])`;

const maxBatch = 200;

type Cleared = { user_id: string; login_id: string };

/**
 * Allows emails to the user's address again, also for all other users with this address, in short transactions. The
 * user is the last one, and the address is blocked until then. After a crash, the bounce is thus still shown, and
 * another call clears the rest.
 */
export async function clearBounce(ctx: TenantContext, input: { loginId: string }): Promise<void> {
  const user = await ownRows(ctx, 'user', { login_id: input.loginId })
    .select(['user_id', 'folded_email'])
    .executeTakeFirst();
  if (!user) throw userNotFound();
  const { user_id: userId, folded_email: email } = user;
  if (email === null) return;
  const values = [ctx.tenantId, email, userId];
  let after = '';
  await inBatches(ctx, maxBatch, async (ctx, rows) => {
    const cleared = await runInOrder<Cleared>(ctx, lockOthers, [...values, after, rows]);
    await clearLocked(ctx, cleared);
    after = cleared.at(-1)?.login_id ?? after;
    return cleared.length;
  });
  await transaction(ctx, async (ctx) => clearLocked(ctx, await run<Cleared>(ctx, lockOwn, values)));
}

async function clearLocked(ctx: TenantContext, cleared: readonly Cleared[]): Promise<void> {
  if (cleared.length === 0) return;
  // In a small table, PostgreSQL would read all users.
  await readByIndex(ctx);
  const userIds = cleared.map(({ user_id }) => user_id);
  await run(ctx, clear, [ctx.tenantId, userIds, tenantNow(ctx)]);
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

type Sent = {
  mail_id: string;
  user_id: string;
  login_id: string;
  address: string;
  bounce_kind: string | null;
};

const byId = `
select held.mail_id, held.user_id, account.login_id, held.address, held.bounce_kind
from mail held join "user" account on account.tenant_id = $1 and account.user_id = held.user_id
where held.tenant_id = $1 and held.mail_id = $2`;

/** An email whose bounce has been recorded is found again, so that a repeated report changes nothing. */
const newestTo = `
select newest.* from (${withAddress('$2')}) known cross join lateral (
  select held.mail_id, held.user_id, known.login_id, held.address, held.bounce_kind from mail held
  where held.tenant_id = $1 and held.user_id = known.user_id and held.status in ('sent', 'bounced')
    and held.folded_address = $2
  order by held.mail_id desc limit 1
) newest order by newest.mail_id desc limit 1`;

/** Records a bounce that a mail provider reported. The operator need not name a tenant if the MessageID is known. */
export async function reportBounce(
  ctx: Context & { readonly tenantId?: string },
  input: BounceReport,
): Promise<RecordedBounce> {
  const mailId = mailIdIn(input.MessageID);
  const { EmailAddress } = input;
  if (input.MessageID === undefined && EmailAddress === undefined)
    throw invalid('MessageID', 'Send the MessageID of the email, its EmailAddress, or both.');
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

async function readSent(ctx: TenantContext, text: string, value: string): Promise<Sent | null> {
  const [mail] = await run<Sent>(ctx, text, [ctx.tenantId, value]);
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
