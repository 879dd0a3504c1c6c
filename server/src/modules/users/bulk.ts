import type { TenantContext } from '../../platform/context.ts';
import { Problem } from '../../platform/errors.ts';
import { inTurn } from '../../platform/load/fair-queue.ts';
import { type BulkOperation, bulk, type RowDone } from '../../platform/rows/bulk.ts';
import { createDrafted, draftUser, planUsers } from './create-user.ts';
import { NewUser, type User } from './schemas.ts';

/**
 * Hashes the passwords of rows. The rows take turns with those of other tenants' calls. Unlike single calls,
 * they are never rejected because a queue is full.
 */
function hashing<Result>(ctx: TenantContext, work: () => Promise<Result>): Promise<Result> {
  return inTurn(ctx.admission.bulkHashes, ctx.tenantId, work) ?? work();
}

type Done = { user: User; isNew: boolean; changed: string[] | null };

const done = ({ user, isNew, changed }: Done): RowDone => ({
  Status: isNew ? 201 : 200,
  LoginID: user.LoginID,
  ...(changed !== null && { Changed: changed }),
});

/** Single calls accept any text as `Email`, because the interface defines no format for it. */
function emailProblem({ Email }: NewUser): Problem | null {
  if (!Email || /.@./su.test(Email)) return null;
  const detail = 'Email must be an email address such as ada@example.com. Leave it blank if there is none.';
  return new Problem('validation_failed', detail, { param: 'Email' });
}

export const bulkUsers: BulkOperation<NewUser> = {
  row: NewUser,
  tables: ['user', 'user_word', 'event'],
  names: ['LoginID'],
  ids: [],
  prepare: async (ctx: TenantContext, row) => {
    const problem = emailProblem(row);
    if (problem) throw problem;
    const drafted = await (row.Password == null
      ? draftUser(ctx, row)
      : hashing(ctx, () => draftUser(ctx, row)));
    return async (ctx) => done(await createDrafted(ctx, drafted));
  },
  plan: async (ctx, rows) => {
    const valid = rows.filter((row) => emailProblem(row) === null);
    const planned = await planUsers(ctx, valid);
    const checks = new Map(valid.map((row, index) => [row, planned[index]]));
    return Promise.allSettled(
      rows.map(async (row) => {
        const check = checks.get(row);
        if (!check) throw emailProblem(row);
        return done(await (row.Password == null ? check() : hashing(ctx, check)));
      }),
    );
  },
};

export const createUsersInBulk = bulk(bulkUsers);
