import type { TenantContext } from '../../platform/context.ts';
import { Problem } from '../../platform/errors.ts';
import type { Submission } from '../../platform/retries/verb.ts';
import type { PlannedRow, RowDone } from '../../platform/rows/work-rows.ts';
import { type Created, creatingUser } from './create-user.ts';
import { planUsers } from './plan-users.ts';
import { withSameEmails } from './same-emails.ts';
import type { NewUser } from './schemas.ts';
import { withSimilarUsers } from './similar-users.ts';

const done = ({ user, isNew, changed }: Created): RowDone => ({
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

export async function creatingRow(ctx: TenantContext, row: NewUser): Promise<Submission<RowDone>> {
  const problem = emailProblem(row);
  if (problem) throw problem;
  const create = () => creatingUser(ctx, row, done);
  return row.Password == null ? create() : ctx.load.bulkHashes(create);
}

/**
 * Plans rows of a bulk call. `then` plans what follows for a row, in the same transaction, so it finds the users that
 * would be created.
 */
export async function planBulkUsers(
  ctx: TenantContext,
  rows: NewUser[],
  then: (ctx: TenantContext, row: number) => Promise<Submission<RowDone>> | null,
): Promise<PlannedRow[]> {
  const valid = [...rows.keys()].filter((at) => emailProblem(rows[at] as NewUser) === null);
  const planned = await planUsers(
    ctx,
    valid.map((at) => rows[at] as NewUser),
    (ctx, index) => then(ctx, valid[index] as number),
  );
  const plans = new Map(valid.map((at, index) => [at, planned[index]]));
  const settled = await Promise.allSettled(
    rows.map(async (row, at) => {
      const plan = plans.get(at);
      if (!plan) throw emailProblem(row);
      return done(await (row.Password == null ? plan.check() : ctx.load.bulkHashes(plan.check)));
    }),
  );
  const results = settled.map((one, at) => {
    const next = plans.get(at)?.next;
    return next ? { ...one, next } : one;
  });
  return withSameEmails(ctx, await withSimilarUsers(ctx, results), rows);
}
