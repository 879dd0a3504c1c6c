import type { TenantContext } from '../../platform/context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { requireScope } from '../../platform/scopes.ts';
import { appendAudit } from '../audit/append.ts';
import { closeUser } from '../users/personal-data.ts';
import { userNotFound } from '../users/users.ts';
import { findPerson } from './all-personal-data.ts';
import { eraseBatch } from './erase-batches.ts';
import { beginning, type ErasureProgress } from './erasure-progress.ts';
import { planErasure } from './plan-erasure.ts';
import { loginHash } from './receipt.ts';
import type { Erasure } from './schemas.ts';
import { requireUntouchedUser } from './untouched.ts';

/**
 * Erases a person and ends their access. The first transaction locks the user, closes the account and, if
 * there is little data, erases everything. Otherwise, each call erases a batch and returns null until nothing
 * is left. With `untouched`, rejects a user who has been changed or active.
 */
export async function eraseUser(
  ctx: TenantContext,
  input: { loginId: string; plan: boolean; untouched?: boolean; isContinued: boolean },
): Promise<Erasure | null> {
  const { loginId, untouched = false, isContinued } = input;
  if (input.plan) return plan(ctx, loginId, untouched);
  const begun = await transaction(ctx, async (ctx) => {
    const begun = await beginErasure(ctx, { loginId, untouched, isContinued });
    if (!begun) return null;
    const { erasureId, isNew } = begun;
    const isOver = await eraseBatch(ctx, erasureId);
    if (isNew) await appendAudit(ctx, ctx.tenantId, { action: 'user.erased', targetId: erasureId, data: {} });
    return { erasureId, isOver };
  });
  if (begun && !begun.isOver) return null;
  return readReceipt(ctx, { loginId, erasureId: begun?.erasureId ?? null });
}

/** For a person who has already been erased, the plan is the receipt. */
async function plan(ctx: TenantContext, loginId: string, untouched: boolean): Promise<Erasure> {
  const person = await findPerson(ctx, loginId, false);
  if (!person) return readReceipt(ctx, { loginId, erasureId: null });
  if (person.isAdmin) requireScope(ctx, 'users:admin', 'Erasing an administrator');
  if (untouched) await requireUntouchedUser(ctx, person);
  return planErasure(ctx, person);
}

/** The person's erasure, which may already be in progress; null if the person does not exist. */
async function beginErasure(
  ctx: TenantContext,
  { loginId, untouched, isContinued }: { loginId: string; untouched: boolean; isContinued: boolean },
): Promise<{ erasureId: string; isNew: boolean } | null> {
  const person = await findPerson(ctx, loginId, true);
  if (!person) return null;
  if (person.isAdmin) requireScope(ctx, 'users:admin', 'Erasing an administrator');
  const known = await ctx.db
    .selectFrom('erasure_under_way')
    .select('erasure_id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('user_id', '=', person.userId)
    .executeTakeFirst();
  if (known) return { erasureId: known.erasure_id, isNew: false };
  // Another node has finished, and the LoginID already belongs to somebody else.
  if (isContinued) return null;
  if (untouched) await requireUntouchedUser(ctx, person);
  const now = ctx.now();
  const erasureId = newId(now);
  const progress: ErasureProgress = beginning(now);
  await ctx.db
    .insertInto('erasure_under_way')
    .values({
      tenant_id: ctx.tenantId,
      erasure_id: erasureId,
      user_id: person.userId,
      progress: JSON.stringify(progress),
    })
    .execute();
  await closeUser(ctx, person);
  return { erasureId, isNew: true };
}

async function readReceipt(
  ctx: TenantContext,
  { loginId, erasureId }: { loginId: string; erasureId: string | null },
): Promise<Erasure> {
  const row = await ctx.db
    .selectFrom('erasure')
    .select('receipt')
    .where('tenant_id', '=', ctx.tenantId)
    .where('login_mark', '=', loginHash(ctx, loginId))
    .$if(erasureId !== null, (query) => query.where('erasure_id', '=', erasureId ?? ''))
    .orderBy('erasure_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!row) throw userNotFound();
  return { ...(row.receipt as Omit<Erasure, 'LoginID'>), LoginID: loginId };
}
