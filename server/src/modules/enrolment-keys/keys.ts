import type { TenantContext } from '../../platform/context.ts';
import { transaction } from '../../platform/db/transaction.ts';
import { Problem } from '../../platform/errors.ts';
import {
  foreignCursor,
  type Order,
  type PageQuery,
  pageLimit,
  readCursor,
  toPage,
} from '../../platform/http/pagination.ts';
import { isId, sha256 } from '../../platform/ids.ts';
import { appendAudit } from '../audit/append.ts';
import { readKey } from './key-text.ts';
import { isStatusSql, type KeyWithNames, keyNotFound, selectKeys, toKey } from './record.ts';
import type { EnrolmentKey, KeyStatus } from './schemas.ts';

export async function listKeys(
  ctx: TenantContext,
  input: PageQuery & Order & { PurchaseOrder?: string; Status?: KeyStatus },
) {
  const limit = pageLimit(input);
  const after = readCursor(input);
  if (after !== null && !isId(after)) throw foreignCursor();
  const newest = input.Order === 'newest';
  let query = selectKeys(ctx);
  if (after !== null) query = query.where('enrolment_key.key_id', newest ? '<' : '>', after);
  if (input.PurchaseOrder !== undefined)
    query = query.where('enrolment_key.purchase_order', '=', input.PurchaseOrder);
  if (input.Status !== undefined) query = query.where(isStatusSql(input.Status, ctx.now()));
  const rows = await query
    .orderBy('enrolment_key.key_id', newest ? 'desc' : 'asc')
    .limit(limit + 1)
    .execute();
  return toPage(
    rows,
    limit,
    (row) => row.key_id,
    (row) => toKey(ctx, row),
  );
}

/** Finds a key by its KeyID or by the key itself. */
function selectKey(ctx: TenantContext, named: string) {
  return isId(named)
    ? selectKeys(ctx).where('enrolment_key.key_id', '=', named)
    : selectKeys(ctx).where('enrolment_key.key_hash', '=', sha256(readKey(named)));
}

export async function readEnrolmentKey(ctx: TenantContext, input: { key: string }): Promise<EnrolmentKey> {
  const row = await selectKey(ctx, input.key).executeTakeFirst();
  if (!row) throw keyNotFound();
  return toKey(ctx, row);
}

/** The key, with its row locked until the transaction ends. */
export function lockKey(ctx: TenantContext, named: string): Promise<KeyWithNames | undefined> {
  return selectKey(ctx, named).forUpdate('enrolment_key').executeTakeFirst();
}

/** Revokes a key that has not been redeemed; repeating it changes nothing. */
export function revokeEnrolmentKey(ctx: TenantContext, input: { key: string }): Promise<EnrolmentKey> {
  return transaction(ctx, async (ctx) => {
    const row = await lockKey(ctx, input.key);
    if (!row) throw keyNotFound();
    if (row.redeemed_at)
      throw new Problem(
        'key_redeemed',
        'The enrolment key has been redeemed. Withdraw its enrolments with PUT /enrolment/{LoginID}/{EnrollID} instead.',
        { param: 'Key' },
      );
    if (row.revoked_at) return toKey(ctx, row);
    const revoked = { ...row, revoked_at: ctx.now() };
    await ctx.db
      .updateTable('enrolment_key')
      .set({ revoked_at: revoked.revoked_at })
      .where('tenant_id', '=', ctx.tenantId)
      .where('key_id', '=', row.key_id)
      .execute();
    await appendAudit(ctx, ctx.tenantId, {
      action: 'enrolment_key.revoked',
      targetId: row.key_id,
      data: {},
    });
    return toKey(ctx, revoked);
  });
}
