import { deleteOwn, ownRows } from '../../db/own-rows.ts';
import { countTenantRows, countUpToSql, rowsOf } from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import { batchOf, batchRows, type PersonalData } from '../../infra/context/personal-data.ts';

const eraseLog = `
delete from provisioning_log gone where gone.tenant_id = $1 and gone.entry_id = any(array(
  select own.entry_id from provisioning_log own where own.tenant_id = $1 and own.user_id = $2 limit ${batchRows}
)) returning 1`;

type LogRow = { at: Date; method: string; path: string; status: number; request: string | null };

export const provisioningData: PersonalData = {
  name: 'Provisioning',
  tables: ['scim_user', 'provisioning_log'],
  erased: 'What a directory sent about the person, and the log of its requests.',
  retained: null,
  eraseForUser: async (ctx, { userId }) => {
    await deleteOwn(ctx, 'scim_user', { user_id: userId }).execute();
    const gone = await run(ctx, eraseLog, [ctx.tenantId, userId]);
    return batchOf(gone.length);
  },
  count: (ctx, { userId, max }) =>
    countTenantRows(ctx, countUpToSql({ table: 'provisioning_log', column: 'user_id', key: 'entry_id' }), [
      [userId],
      max,
    ]),
  read: async function* (ctx, { userId }) {
    const own = await ownRows(ctx, 'scim_user', { user_id: userId })
      .select(['user_name', 'external_id', 'resource'])
      .executeTakeFirst();
    if (own) yield { UserName: own.user_name, ExternalID: own.external_id, Resource: own.resource };
    const keyset = { table: 'provisioning_log', of: { user_id: userId }, key: ['entry_id'], rows: 200 };
    for await (const row of rowsOf<LogRow>(ctx, keyset))
      yield { At: row.at, Method: row.method, Path: row.path, Status: row.status, Request: row.request };
  },
};
