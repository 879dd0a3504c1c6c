import { countTenantRows, type Keyset, rowsOf } from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import { batchOf, batchRows, type PersonalData } from '../../infra/context/personal-data.ts';

const mailsOf = (userId: string): Keyset => ({
  table: 'mail',
  of: { user_id: userId },
  key: ['mail_id'],
  rows: 200,
});

type Row = {
  kind: string;
  address: string;
  status: string;
  created_at: Date;
  answer: string | null;
  bounced_at: Date | null;
  bounce_kind: string | null;
  bounce_reason: string | null;
};

const erase = `
delete from mail where tenant_id = $1 and mail_id = any(array(
  select held.mail_id from mail held where held.tenant_id = $1 and held.user_id = $2
  order by held.user_id, held.mail_id limit $3
)) returning 1`;

/** An erasure also deletes queued emails, so that they are not sent. */
export const mailData: PersonalData = {
  name: 'Mails',
  tables: ['mail'],
  erased: "The emails to the person, with their addresses, the mail server's responses and the bounces.",
  retained: null,
  eraseForUser: async (ctx, { userId }) => {
    return batchOf((await run(ctx, erase, [ctx.tenantId, userId, batchRows])).length);
  },
  count: (ctx, { userId, max }) =>
    countTenantRows(ctx, 'select 1 from mail where tenant_id = $1 and user_id = $2::uuid limit $3', [
      userId,
      max,
    ]),
  read: async function* (ctx, { userId }) {
    for await (const row of rowsOf<Row>(ctx, mailsOf(userId)))
      yield {
        Kind: row.kind,
        Address: row.address,
        Status: row.status,
        Answer: row.answer,
        CreatedAt: row.created_at,
        BouncedAt: row.bounced_at,
        BounceKind: row.bounce_kind,
        BounceReason: row.bounce_reason,
      };
  },
};
