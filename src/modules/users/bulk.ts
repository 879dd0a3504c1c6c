import { type BulkVerb, bulk, type RowDone } from '../../platform/bulk.ts';
import type { TenantContext } from '../../platform/context.ts';
import { limit } from '../../platform/limit.ts';
import { createDrafted, draftUser, planUsers } from './create-user.ts';
import { NewUser, type User } from './schemas.ts';

/** Hashing takes 20 ms of a thread each; more at once would make learners' files wait for the thread pool. */
const hashing = limit(2);

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
    const drafted = await (row.Password == null ? draftUser(ctx, row) : hashing(() => draftUser(ctx, row)));
    return async (ctx) => done(await createDrafted(ctx, drafted));
  },
  plan: async (ctx, rows) => {
    const planned = await planUsers(ctx, rows);
    return Promise.allSettled(
      planned.map(async (judge, index) =>
        done(await (rows[index]?.Password == null ? judge() : hashing(judge))),
      ),
    );
  },
};

export const createUsersInBulk = bulk(bulkUsers);
