import { deleteOwn, ownRows } from '../../db/own-rows.ts';
import { type Condition, countTenantRows, pagesOf } from '../../db/page.ts';
import { run, transaction } from '../../db/transaction.ts';
import { type Order, type PageQuery, pageById } from '../../http/pagination.ts';
import { recordOf } from '../../http/records.ts';
import { type TenantContext, tenantNow } from '../../infra/context/context.ts';
import type { PersonalData } from '../../infra/context/personal-data.ts';
import { Problem } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import { audit } from '../audit/chain.ts';
import { findUserId, userNotFound } from '../users/users.ts';
import { LegalHold } from './schemas.ts';

type Row = { placement_id: string; hold_id: string; login_id: string; reason: string; placed_at: Date };

const toHold = (row: Row): LegalHold => recordOf(LegalHold, row, {});

const withLogin = (rows: string) => `
select held.*, owner.login_id from (${rows}) held
join "user" owner on owner.tenant_id = $1 and owner.user_id = held.user_id`;

const holdNotFound = () =>
  new Problem('hold_not_found', 'The person has no such legal hold. List the holds with GET /hold.', {
    param: 'HoldID',
  });

/** Locks the user, as an erasure does: a hold either prevents it, or comes too late. */
const lockText = `
select own.user_id from "user" own where own.tenant_id = $1 and own.login_id = $2
  and not exists (select from erasure_under_way busy where busy.tenant_id = $1 and busy.user_id = own.user_id)
for update of own`;

async function lockUser(ctx: TenantContext, loginId: string): Promise<string> {
  const [user] = await run<{ user_id: string }>(ctx, lockText, [ctx.tenantId, loginId]);
  if (!user) throw userNotFound();
  return user.user_id;
}

type Place = { loginId: string; holdId: string };

export function placeHold(
  ctx: TenantContext,
  { loginId, holdId, reason }: Place & { reason: string },
): Promise<{ hold: LegalHold; isNew: boolean }> {
  return transaction(ctx, async (ctx) => {
    const userId = await lockUser(ctx, loginId);
    const now = tenantNow(ctx);
    const before = await ownRows(ctx, 'legal_hold', { user_id: userId, hold_id: holdId })
      .select(['reason'])
      .executeTakeFirst();
    const row = await ctx.db
      .insertInto('legal_hold')
      .values({
        ...{ tenant_id: ctx.tenantId, placement_id: newId(now), user_id: userId, hold_id: holdId },
        ...{ reason, placed_at: now },
      })
      .onConflict((conflict) => conflict.columns(['tenant_id', 'user_id', 'hold_id']).doUpdateSet({ reason }))
      .returningAll()
      .executeTakeFirstOrThrow();
    if (before?.reason !== reason) await audit(ctx, 'hold.placed', userId, { HoldID: holdId });
    return { hold: toHold({ ...row, login_id: loginId }), isNew: !before };
  });
}

/** Ends a legal hold. The person can then be erased, unless another hold remains. */
export async function releaseHold(ctx: TenantContext, { loginId, holdId }: Place): Promise<void> {
  await transaction(ctx, async (ctx) => {
    const userId = await lockUser(ctx, loginId);
    const { numDeletedRows } = await deleteOwn(ctx, 'legal_hold', {
      user_id: userId,
      hold_id: holdId,
    }).executeTakeFirst();
    if (numDeletedRows === 0n) throw holdNotFound();
    await audit(ctx, 'hold.released', userId, { HoldID: holdId });
  });
}

export async function listHolds(
  ctx: TenantContext,
  input: PageQuery & Order & { LoginID?: string; HoldID?: string },
) {
  const { LoginID, HoldID } = input;
  const where: Condition[] = [];
  if (LoginID !== undefined) {
    const userId = await findUserId(ctx, LoginID);
    if (userId === null) throw userNotFound();
    where.push(({ add }) => `held.user_id = ${add(userId)}`);
  }
  if (HoldID !== undefined) where.push(({ add }) => `held.hold_id = ${add(HoldID)}`);
  const newest = input.Order === 'newest';
  const list = { table: 'legal_hold', key: 'placement_id', where, newest, show: withLogin } as const;
  return pageById<Row, LegalHold>(ctx, input, list, toHold);
}

/** The legal holds on a person. While there are any, the person is not erased. */
export async function holdsOf(ctx: TenantContext, userId: string): Promise<string[]> {
  const rows = await ownRows(ctx, 'legal_hold', { user_id: userId })
    .select('hold_id')
    .orderBy('hold_id')
    .limit(100)
    .execute();
  return rows.map(({ hold_id }) => hold_id);
}

export async function rejectHeld(ctx: TenantContext, userId: string): Promise<void> {
  const holds = await holdsOf(ctx, userId);
  if (holds.length > 0)
    throw new Problem(
      'on_legal_hold',
      `The person is on legal hold (${holds.slice(0, 5).join(', ')}), and nothing was erased. Release it with DELETE /user/{LoginID}/hold/{HoldID} first.`,
      { param: 'LoginID' },
    );
}

const ofUser = 'select 1 from legal_hold held where held.tenant_id = $1 and held.user_id = $2::uuid limit $3';

export const holdData: PersonalData = {
  name: 'LegalHolds',
  tables: ['legal_hold'],
  // A person is erased only without holds.
  erased: null,
  retained: null,
  count: (ctx, { userId, max }) => countTenantRows(ctx, ofUser, [userId, max]),
  read: async function* (ctx, { userId, loginId }) {
    const pages = pagesOf<Row>(ctx, {
      table: 'legal_hold',
      of: { user_id: userId },
      key: ['placement_id'],
      rows: 50,
    });
    for await (const page of pages) yield* page.map((row) => toHold({ ...row, login_id: loginId }));
  },
};
