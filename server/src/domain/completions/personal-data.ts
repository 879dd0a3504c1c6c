import { countTenantRows } from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import { batchOf, batchRows, type PersonalData } from '../../infra/context/personal-data.ts';
import { listCompletions } from './list.ts';

const erase = `
delete from external_completion held where held.tenant_id = $1 and held.completion_id in (
  select own.completion_id from external_completion own where own.tenant_id = $1 and own.user_id = $2
  order by own.completion_id limit ${batchRows}
) returning 1`;

export const completionData: PersonalData = {
  name: 'CompletionsFromElsewhere',
  tables: ['external_completion'],
  erased: 'The completions from elsewhere, with their evidence.',
  retained: null,
  eraseForUser: async (ctx, { userId }) => batchOf((await run(ctx, erase, [ctx.tenantId, userId])).length),
  count: (ctx, { userId, max }) =>
    countTenantRows(
      ctx,
      'select 1 from external_completion held where held.tenant_id = $1 and held.user_id = $2::uuid limit $3',
      [userId, max],
    ),
  read: async function* (ctx, { loginId }) {
    for (let Cursor: string | null | undefined; Cursor !== null; ) {
      const page = await listCompletions(ctx, { LoginID: loginId, Limit: 200, ...(Cursor && { Cursor }) });
      yield* page.Items;
      Cursor = page.NextCursor;
    }
  },
};
