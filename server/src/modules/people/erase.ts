import type { TenantContext } from '../../platform/context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { newId } from '../../platform/ids.ts';
import { requireScope } from '../../platform/scopes.ts';
import { mark as keyedMark } from '../../platform/signing.ts';
import { eraseAnswers } from '../../platform/stored-answers.ts';
import { appendAudit } from '../audit/append.ts';
import { appendEvents } from '../events/append.ts';
import { userNotFound } from '../users/users.ts';
import { findPerson, heldData } from './held.ts';
import type { Erasure } from './schemas.ts';

/** What is stored outside the list and never belongs to a single person. */
const alwaysKept = [
  {
    Data: 'Receipt',
    Records: 1,
    What: 'This receipt, which can be found by a keyed hash of the LoginID.',
    Why: 'It proves the erasure and is returned for a repeated request. It does not reveal the LoginID.',
  },
];

/** Erases a person and ends their access in one transaction. A plan does the same and is rolled back. */
export async function eraseUser(
  ctx: TenantContext,
  input: { loginId: string; plan: boolean },
): Promise<Erasure> {
  if (!input.plan) return transaction(ctx, (ctx) => erase(ctx, input));
  const undo = new Error('A plan changes nothing.');
  let planned: Erasure | null = null;
  await transaction(ctx, async (ctx) => {
    planned = await erase(ctx, input);
    throw undo;
  }).catch((error: unknown) => {
    if (error !== undo) throw error;
  });
  if (!planned) throw undo;
  return planned;
}

async function erase(ctx: TenantContext, input: { loginId: string; plan: boolean }): Promise<Erasure> {
  const mark = keyedMark(ctx.keys, 'erasure', `${ctx.tenantId}\0${input.loginId}`);
  const person = await findPerson(ctx, input.loginId, true);
  if (!person) return earlierReceipt(ctx, mark, input.loginId);
  if (person.isAdmin) requireScope(ctx, 'users:admin', 'Erasing an administrator');
  const now = ctx.now();
  const receipt: Omit<Erasure, 'LoginID'> = {
    ReceiptID: input.plan ? null : newId(now),
    Plan: input.plan,
    ErasedAt: input.plan ? null : now.toISOString(),
    Erased: [],
    Kept: [],
  };
  for (const data of heldData) {
    const Records = await data.erase(ctx, person);
    if (data.erased !== null) receipt.Erased.push({ Data: data.name, Records, What: data.erased });
    if (data.kept) receipt.Kept.push({ Data: data.name, Records, What: data.kept.what, Why: data.kept.why });
  }
  receipt.Erased.push({
    Data: 'StoredAnswers',
    Records: await eraseAnswers(ctx, input.loginId),
    What: 'Stored responses to requests that named the person. If such a request is repeated, it is rejected.',
  });
  receipt.Kept.push(...alwaysKept);
  if (receipt.ReceiptID !== null) {
    await ctx.db
      .insertInto('erasure')
      .values({
        tenant_id: ctx.tenantId,
        erasure_id: receipt.ReceiptID,
        login_mark: mark,
        receipt: JSON.stringify(receipt),
        erased_at: now,
      })
      .execute();
    await appendEvents(ctx, [{ type: 'user.erased', data: { ReceiptID: receipt.ReceiptID } }]);
    await appendAudit(ctx, ctx.tenantId, { action: 'user.erased', targetId: receipt.ReceiptID, data: {} });
  }
  return { ...receipt, LoginID: input.loginId };
}

async function earlierReceipt(ctx: TenantContext, mark: string, loginId: string): Promise<Erasure> {
  const row = await ctx.db
    .selectFrom('erasure')
    .select('receipt')
    .where('tenant_id', '=', ctx.tenantId)
    .where('login_mark', '=', mark)
    .orderBy('erasure_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!row) throw userNotFound();
  return { ...(row.receipt as Omit<Erasure, 'LoginID'>), LoginID: loginId };
}
