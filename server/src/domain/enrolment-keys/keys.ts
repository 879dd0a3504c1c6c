import { updateOwn } from '../../db/own-rows.ts';
import type { Condition } from '../../db/page.ts';
import { transaction } from '../../db/transaction.ts';
import { type Order, type PageQuery, pageById } from '../../http/pagination.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import { Problem } from '../../lib/errors.ts';
import { isId, sha256 } from '../../lib/ids.ts';
import { audit } from '../audit/chain.ts';
import { readKey } from './key-text.ts';
import { isStatusSql, type KeyWithNames, keyNotFound, selectKeys, toKey } from './record.ts';
import type { EnrolmentKey, KeyStatus } from './schemas.ts';

type KeyFilter = { PurchaseOrder?: string; Status?: KeyStatus };

/** SQL that adds the names shown in the record to the rows of `page`. */
const withNames = (page: string) => `
select held.*, holder.login_id as login_id, redeemer.login_id as redeemer from (${page}) held
left join "user" holder on holder.tenant_id = $1 and holder.user_id = held.user_id
left join "user" redeemer on redeemer.tenant_id = $1 and redeemer.user_id = held.redeemed_by`;

function conditionsOf({ PurchaseOrder, Status }: KeyFilter, now: Date) {
  const conditions: Condition[] = [];
  if (PurchaseOrder !== undefined)
    conditions.push(({ add }) => `held.purchase_order = ${add(PurchaseOrder)}`);
  if (Status !== undefined) conditions.push(({ add }) => isStatusSql(Status, () => add(now)));
  return conditions;
}

export async function listKeys(
  ctx: TenantContext,
  input: PageQuery & Order & KeyFilter & { Count?: boolean },
) {
  const where = conditionsOf(input, tenantNow(ctx));
  const newest = input.Order === 'newest';
  const list = { table: 'enrolment_key', key: 'key_id', where, newest, show: withNames } as const;
  return pageById<KeyWithNames, EnrolmentKey>(ctx, input, list, (row) => toKey(ctx, row));
}

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

/** Locks the key's row until the transaction ends, and returns the key. */
export function lockKey(ctx: TenantContext, named: string): Promise<KeyWithNames | undefined> {
  return selectKey(ctx, named).forUpdate('enrolment_key').executeTakeFirst();
}

/** Revokes a key that has not been redeemed. Repeating it changes nothing. */
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
    const revoked = { ...row, revoked_at: tenantNow(ctx) };
    await updateOwn(ctx, 'enrolment_key', { key_id: row.key_id })
      .set({ revoked_at: revoked.revoked_at })
      .execute();
    await audit(ctx, 'enrolment_key.revoked', row.key_id);
    return toKey(ctx, revoked);
  });
}
