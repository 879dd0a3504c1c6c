import { ownRows } from '../../db/own-rows.ts';
import { countTenantRows } from '../../db/page.ts';
import { run } from '../../db/transaction.ts';
import { batchOf, batchRows, type PersonalData } from '../../infra/context/personal-data.ts';

const ofUser = (max: number | string) =>
  `select own.dispatch_id from dispatch_learner own where own.tenant_id = $1 and own.user_id = $2 limit ${max}`;

const erase = `
delete from dispatch_learner held where held.tenant_id = $1 and held.user_id = $2
  and held.dispatch_id = any(array(${ofUser(batchRows)})) returning 1`;

export const dispatchData: PersonalData = {
  name: 'DispatchLearners',
  tables: ['dispatch_learner'],
  erased: 'Which dispatches the person used. Their seats stay taken.',
  retained: null,
  eraseForUser: async (ctx, { userId }) => {
    return batchOf((await run(ctx, erase, [ctx.tenantId, userId])).length);
  },
  count: (ctx, { userId, max }) => countTenantRows(ctx, ofUser('$3'), [userId, max]),
  read: async function* (ctx, { userId }) {
    // A learner's ID in another LMS belongs to one dispatch.
    const rows = await ownRows(ctx, 'dispatch_learner', { user_id: userId })
      .select(['dispatch_id', 'enroll_id', 'first_opened_at', 'last_opened_at'])
      .execute();
    yield* rows.map((row) => ({
      DispatchID: row.dispatch_id,
      EnrollID: row.enroll_id,
      FirstOpenedAt: row.first_opened_at,
      LastOpenedAt: row.last_opened_at,
    }));
  },
};
