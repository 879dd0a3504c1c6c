import type { Context } from '../../platform/context.ts';
import { isServed, servedTenants } from '../../platform/db/citus/node-tenants.ts';
import { run } from '../../platform/db/transaction.ts';
import { decrypt, encrypt, encryptedBy } from '../../platform/keys/encryption.ts';
import type { MailContent } from './kinds.ts';

type MailId = { tenant_id: string; mail_id: string };
type Place = MailId & { user_id: string };
type Keys = Pick<Context, 'keys'>;

const about = ({ tenant_id, mail_id }: MailId) =>
  ({ purpose: 'mail', place: `${tenant_id}\0${mail_id}` }) as const;

/** Encrypted, because anyone with the link in an invitation can sign in as its recipient. */
export function sealContent(ctx: Keys, id: MailId, content: MailContent): string {
  return encrypt(ctx.keys, about(id), JSON.stringify(content));
}

export function openContent(ctx: Keys, id: MailId, sealed: string): MailContent {
  return JSON.parse(decrypt(ctx.keys, about(id), sealed));
}

const batch = 500;

const read = `/* across tenants: a key of the deployment encrypts all emails */
select tenant_id, user_id, mail_id, content from mail
where (tenant_id, user_id, mail_id) > ($1, $2::uuid, $3::uuid) and status = 'queued' and not starts_with(content, $4)
  and ${isServed('tenant_id', '$6')}
order by tenant_id, user_id, mail_id limit $5`;

/** Skips emails that were sent or abandoned in the meantime, because they no longer have any content. */
const write = `/* across tenants: a key of the deployment encrypts all emails */
update mail set content = made.content
from jsonb_to_recordset($1::jsonb) as made (tenant_id text, mail_id uuid, content text, before text)
where mail.tenant_id = made.tenant_id and mail.mail_id = made.mail_id and mail.content = made.before`;

/**
 * Encrypts queued emails with the ring's first key, so that the ring's other keys can be removed.
 */
export async function encryptMails(ctx: Context): Promise<void> {
  const [first] = ctx.keys.keys;
  const served = await servedTenants(ctx);
  const none = '00000000-0000-0000-0000-000000000000';
  let last: Place = { tenant_id: '', user_id: none, mail_id: none };
  for (;;) {
    const values = [last.tenant_id, last.user_id, last.mail_id, encryptedBy(first.id), batch, served];
    const rows = await run<Place & { content: string }>(ctx, { text: read, values });
    const made = rows.map((row) => {
      const content = encrypt(ctx.keys, about(row), decrypt(ctx.keys, about(row), row.content));
      return { ...row, content, before: row.content };
    });
    if (made.length > 0) await run(ctx, { text: write, values: [JSON.stringify(made)] });
    last = rows.at(-1) ?? last;
    if (rows.length < batch) return;
  }
}
