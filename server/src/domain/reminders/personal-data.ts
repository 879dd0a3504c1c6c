import { countTenantRows, rowsOf } from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import { batchOf, batchRows, type PersonalData } from '../../infra/context/personal-data.ts';

const erase = `
delete from reminder where tenant_id = $1 and (day, user_id) in (
  select held.day, held.user_id from reminder held where held.tenant_id = $1 and held.user_id = $2
  order by held.user_id, held.day limit $3
) returning 1`;

type Row = { day: string; by_hand: boolean; team: boolean; mail_id: string | null };

export const reminderData: PersonalData = {
  name: 'Reminders',
  tables: ['reminder'],
  erased: 'The days on which the person was reminded.',
  retained: null,
  eraseForUser: async (ctx, { userId }) => {
    return batchOf((await run(ctx, erase, [ctx.tenantId, userId, batchRows])).length);
  },
  count: (ctx, { userId, max }) =>
    countTenantRows(ctx, 'select 1 from reminder where tenant_id = $1 and user_id = $2::uuid limit $3', [
      userId,
      max,
    ]),
  read: async function* (ctx, { userId }) {
    const keyset = { table: 'reminder', of: { user_id: userId }, key: ['day'], rows: 200 };
    for await (const row of rowsOf<Row>(ctx, keyset))
      yield { Day: row.day, ByHand: row.by_hand, AsManager: row.team, MailID: row.mail_id };
  },
};
