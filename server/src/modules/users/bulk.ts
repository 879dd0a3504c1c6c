import type { TenantContext } from '../../platform/context.ts';
import { inTurn } from '../../platform/load/fair-queue.ts';
import { type BulkVerb, bulk, type RowDone } from '../../platform/rows/bulk.ts';
import { createDrafted, draftUser, planUsers } from './create-user.ts';
import { NewUser, type User } from './schemas.ts';

/**
 * Rows wait here for those of other tenants' calls. Unlike single calls, they are never rejected because a queue is
 * full.
 */
function hashing<Result>(ctx: TenantContext, work: () => Promise<Result>): Promise<Result> {
  return inTurn(ctx.admission.bulkHashes, ctx.tenantId, work) ?? work();
}

const done = ({ user, isNew }: { user: User; isNew: boolean }): RowDone => ({
  Status: isNew ? 201 : 200,
  LoginID: user.LoginID,
});

export const bulkUsers: BulkVerb<NewUser> = {
  row: NewUser,
  tables: ['user', 'event'],
  names: ['LoginID'],
  ids: [],
  prepare: async (ctx: TenantContext, row) => {
    const drafted = await (row.Password == null
      ? draftUser(ctx, row)
      : hashing(ctx, () => draftUser(ctx, row)));
    return async (ctx) => done(await createDrafted(ctx, drafted));
  },
  plan: async (ctx, rows) => {
    const planned = await planUsers(ctx, rows);
    return Promise.allSettled(
      planned.map(async (judge, index) =>
        done(await (rows[index]?.Password == null ? judge() : hashing(ctx, judge))),
      ),
    );
  },
};

export const createUsersInBulk = bulk(bulkUsers);
