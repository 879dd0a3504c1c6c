import type { TenantContext } from '../../platform/context.ts';
import { readByIndex } from '../../platform/db/batches.ts';
import { run } from '../../platform/db/transaction.ts';
import { batchOf, batchRows, type EraseBatch, type Subject } from '../../platform/personal-data.ts';
import { eraseStoredResponses } from '../../platform/retries/stored-responses.ts';
import { eraseEnrolments } from '../enrolments/personal-data.ts';
import { appendEvents } from '../events/append.ts';
import { removeUser } from '../users/personal-data.ts';
import { allPersonalData } from './all-personal-data.ts';
import { advanced, counted, type ErasureProgress, movedTo } from './erasure-progress.ts';
import { loginHash, receiptOf, storedResponses } from './receipt.ts';
import type { Erasure } from './schemas.ts';

type Step = { name: string; erase: EraseBatch };

const stepsOf = (method: 'eraseForUser' | 'eraseForEnrolment' | 'countForUser'): Step[] =>
  allPersonalData.flatMap((data) => {
    const erase = data[method];
    return erase ? [{ name: data.name, erase }] : [];
  });

const responses: Step = {
  name: storedResponses,
  erase: async (ctx, { loginId }) => batchOf(await eraseStoredResponses(ctx, { loginId, max: batchRows })),
};

/**
 * Erases records that refer to the user. The first steps run again, to find records that were added
 * in the meantime.
 */
const again: readonly Step[] = [...stepsOf('eraseForUser'), responses];
const ofUser: readonly Step[] = [...again, ...stepsOf('countForUser')];
const ofEnrolment: readonly Step[] = stepsOf('eraseForEnrolment');

/**
 * The budget of a transaction. Each record costs one unit. Each step has an additional cost for its
 * statements.
 */
const maxBatchCost = 2 * batchRows;
const costOfStep = 8;

type Erasing = { erasureId: string; subject: Subject; state: ErasureProgress };
type Row = { user_id: string; login_id: string; progress: ErasureProgress };

/** Locks the user first, like the request that starts or continues an erasure. */
const lockUser = `
select 1 from "user" known where known.tenant_id = $1 and known.user_id = (
  select erasure_under_way.user_id from erasure_under_way
  where erasure_under_way.tenant_id = $1 and erasure_under_way.erasure_id = $2
) for update`;

const lockText = `
select erasure_under_way.user_id, known.login_id, erasure_under_way.progress from erasure_under_way
join "user" known on known.tenant_id = $1 and known.user_id = erasure_under_way.user_id
where erasure_under_way.tenant_id = $1 and erasure_under_way.erasure_id = $2 for update of erasure_under_way`;

/** Runs one batch in the transaction of `ctx`. Returns true when the erasure is complete. */
export async function eraseBatch(ctx: TenantContext, erasureId: string): Promise<boolean> {
  // The planner's statistics predate the erasure, and this person may have had most of the rows.
  await readByIndex(ctx);
  const values = [ctx.tenantId, erasureId];
  await run(ctx, { name: 'lock_erased_user', text: lockUser, values });
  const [row] = await run<Row>(ctx, { name: 'lock_erasure', text: lockText, values });
  if (!row) return true;
  const { user_id: userId, login_id: loginId, progress } = row;
  const until = new Date(progress.until);
  const erasing = { erasureId, subject: { userId, loginId, enrollId: '', until }, state: progress };
  for (let cost = 0; cost < maxBatchCost; )
    if (erasing.state.at !== 'end') cost += await takeStep(ctx, erasing);
    else if (await finish(ctx, erasing)) return true;
    else cost = maxBatchCost;
  await ctx.db
    .updateTable('erasure_under_way')
    .set({ progress: JSON.stringify(erasing.state) })
    .where('tenant_id', '=', ctx.tenantId)
    .where('erasure_id', '=', erasureId)
    .execute();
  return false;
}

/** Runs the next step, which advances the state. Returns its cost. */
function takeStep(ctx: TenantContext, erasing: Erasing): Promise<number> {
  if (erasing.state.at === 'enrolments') return stepEnrolments(ctx, erasing);
  return erasing.state.at === 'user' ? stepUser(ctx, erasing) : stepEnrolment(ctx, erasing);
}

async function stepEnrolments(ctx: TenantContext, erasing: Erasing): Promise<number> {
  const enrollIds = await eraseEnrolments(ctx, erasing.subject);
  if (enrollIds.length === 0) {
    erasing.state = movedTo(erasing.state, 'user');
    return costOfStep;
  }
  erasing.state = counted(erasing.state, 'Enrolments', enrollIds.length);
  await ctx.db
    .insertInto('erasure_enrolment')
    .values(
      enrollIds.map((enroll_id) => ({
        tenant_id: ctx.tenantId,
        erasure_id: erasing.erasureId,
        enroll_id,
      })),
    )
    .execute();
  // End the transaction, because the options whose seats were freed stay locked until then.
  return maxBatchCost;
}

async function stepUser(ctx: TenantContext, erasing: Erasing): Promise<number> {
  const step = ofUser[erasing.state.step];
  if (step) return takeBatch(ctx, erasing, step, erasing.subject);
  erasing.state = movedTo(erasing.state, 'enrolment');
  return 0;
}

async function stepEnrolment(ctx: TenantContext, erasing: Erasing): Promise<number> {
  const { erasureId } = erasing;
  const mine = ctx.db
    .selectFrom('erasure_enrolment')
    .select('enroll_id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('erasure_id', '=', erasureId);
  const first = await mine.orderBy('enroll_id').limit(1).executeTakeFirst();
  const step = ofEnrolment[erasing.state.step];
  if (!first) erasing.state = movedTo(erasing.state, 'end');
  else if (step) return takeBatch(ctx, erasing, step, { ...erasing.subject, enrollId: first.enroll_id });
  else {
    erasing.state = movedTo(erasing.state, 'enrolment');
    await ctx.db
      .deleteFrom('erasure_enrolment')
      .where('tenant_id', '=', ctx.tenantId)
      .where('erasure_id', '=', erasureId)
      .where('enroll_id', '=', first.enroll_id)
      .execute();
  }
  return costOfStep;
}

async function takeBatch(
  ctx: TenantContext,
  erasing: Erasing,
  { name, erase }: Step,
  subject: Subject,
): Promise<number> {
  const { records, next } = await erase(ctx, subject, erasing.state.place);
  erasing.state = advanced(counted(erasing.state, name, records), next);
  // `records` may not include all processed records. If another batch follows, this batch was full.
  return (next === null ? records : batchRows) + costOfStep;
}

/**
 * Finishes the erasure. Every write about a user locks the user's row first, so nothing can be added while
 * this transaction holds that lock. Returns false if something was added earlier.
 */
async function finish(ctx: TenantContext, erasing: Erasing): Promise<boolean> {
  const { subject } = erasing;
  if (await isEnrolled(ctx, subject)) {
    erasing.state = movedTo(erasing.state, 'enrolments');
    return false;
  }
  for (const { name, erase } of again) {
    const { records, next } = await erase(ctx, subject, null);
    erasing.state = counted(erasing.state, name, records);
    if (next === null) continue;
    erasing.state = movedTo(erasing.state, 'end');
    return false;
  }
  await removeUser(ctx, subject);
  await writeReceipt(ctx, erasing);
  return true;
}

async function isEnrolled(ctx: TenantContext, { userId }: Subject): Promise<boolean> {
  const one = await ctx.db
    .selectFrom('enrolment')
    .select('enroll_id')
    .where('tenant_id', '=', ctx.tenantId)
    .where('user_id', '=', userId)
    .limit(1)
    .executeTakeFirst();
  return one !== undefined;
}

async function writeReceipt(ctx: TenantContext, { erasureId, subject, state }: Erasing): Promise<void> {
  const now = ctx.now();
  const counts: Record<string, number> = { ...state.counts, User: 1 };
  const receipt: Omit<Erasure, 'LoginID'> = {
    ReceiptID: erasureId,
    Plan: false,
    ErasedAt: now.toISOString(),
    ...receiptOf((name) => ({ Records: counts[name] ?? 0, More: false })),
  };
  await ctx.db
    .insertInto('erasure')
    .values({
      tenant_id: ctx.tenantId,
      erasure_id: erasureId,
      login_mark: loginHash(ctx, subject.loginId),
      receipt: JSON.stringify(receipt),
      erased_at: now,
    })
    .execute();
  await ctx.db
    .deleteFrom('erasure_under_way')
    .where('tenant_id', '=', ctx.tenantId)
    .where('erasure_id', '=', erasureId)
    .execute();
  await appendEvents(ctx, [{ type: 'user.erased', data: { ReceiptID: erasureId } }]);
}
