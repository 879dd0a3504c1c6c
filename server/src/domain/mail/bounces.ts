import { run } from '../../db/transaction.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import type { BounceKind } from './kinds.ts';

const ofMail = `/* across tenants: the operator's mail provider does not know the tenant of an email */
select held.tenant_id from mail held
join tenant client on client.tenant_id = held.tenant_id and client.status <> 'deleting' where held.mail_id = $1`;

/** The tenant whose user an email was sent to; null if there is no such email. */
export async function findMailTenant(ctx: Context, mailId: string): Promise<string | null> {
  const [mail] = await run<{ tenant_id: string }>(ctx, ofMail, [mailId]);
  return mail?.tenant_id ?? null;
}

/** The first report counts, unless a later one says that the bounce is permanent. */
const record = `
update mail held set status = 'bounced', content = null, bounced_at = $3, bounce_kind = $4, bounce_reason = $5
where held.tenant_id = $1 and held.mail_id = $2
  and (held.bounced_at is null or (held.bounce_kind = 'temporary' and $4::text = 'permanent'))
returning 1`;

/** Records the bounce of an email. Returns false if it had already been recorded. */
export async function recordBounce(
  ctx: TenantContext,
  bounce: { mailId: string; kind: BounceKind; at: Date; reason: string | null },
): Promise<boolean> {
  const values = [ctx.tenantId, bounce.mailId, bounce.at, bounce.kind, bounce.reason];
  return (await run(ctx, record, values)).length > 0;
}
