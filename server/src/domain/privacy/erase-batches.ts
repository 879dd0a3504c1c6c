import { readByIndex } from '../../db/batches.ts';
import { deleteOwn, ownRows, updateOwn } from '../../db/own-rows.ts';
import type { KeyPosition } from '../../db/page.ts';
import { forTenant, run, transaction } from '../../db/transaction.ts';
import { eraseStoredResponses } from '../../infra/calls/stored-responses.ts';
import type { Context, TenantContext } from '../../infra/context/context.ts';
import { batchOf, batchRows, type EraseBatch, type Subject } from '../../infra/context/personal-data.ts';
import { keyedHash } from '../../infra/keys/key-ring.ts';
import { isServed, servedTenants } from '../../infra/operations/jobs.ts';
import { eraseEnrolments } from '../enrolments/personal-data.ts';
import { appendEvents } from '../events/append.ts';
import type { Erasure } from '../sign-in/schemas.ts';
import { removeUser } from '../users/personal-data.ts';
import { allPersonalData } from './all-personal-data.ts';

/** Identifies a receipt without revealing the LoginID. */
export const loginHash = (ctx: TenantContext, loginId: string): string =>
  keyedHash(ctx.keys, 'erasure', `${ctx.tenantId}\0${loginId}`);

// Stored responses are not in `allPersonalData`, because they do not belong to a single person.
export const storedResponses = 'StoredResponses';

const responsesErased =
  'Stored responses to requests that named the person. If such a request is repeated, it is rejected.';

/** The receipt itself, which every receipt lists. */
const alwaysKept = {
  Data: 'Receipt',
  Records: 1,
  More: false,
  What: 'This receipt, which can be found by a keyed hash of the LoginID.',
  Why: 'It proves the erasure and is returned if the request is repeated. It does not reveal the LoginID.',
  Until: null,
};

/** `More` is true if counting stopped at the limit. */
export type Count = { Records: number; More: boolean };

export async function receiptOf(
  ctx: TenantContext,
  of: { userId: string; erasureId: string | null },
  countOf: (name: string) => Count,
): Promise<Pick<Erasure, 'Erased' | 'Kept'>> {
  const receipt: Pick<Erasure, 'Erased' | 'Kept'> = { Erased: [], Kept: [] };
  for (const data of allPersonalData) {
    const { erased, retained } = (await data.describe?.(ctx, of)) ?? data;
    const counts = { Data: data.name, ...countOf(data.name) };
    if (erased !== null) receipt.Erased.push({ ...counts, What: erased });
    if (retained !== null) {
      const { what: What, why: Why, until } = retained;
      receipt.Kept.push({ ...counts, What, Why, Until: until?.toISOString() ?? null });
    }
  }
  receipt.Erased.push({ Data: storedResponses, ...countOf(storedResponses), What: responsesErased });
  receipt.Kept.push(alwaysKept);
  return receipt;
}

/** The progress of an erasure, stored between batches. */
export type ErasureProgress = {
  /** Number of erased records for each kind of data. */
  counts: Record<string, number>;
  /**
   * First, the user is removed from all enrolments. Then records that refer to the user are erased, and finally those
   * of each enrolment.
   */
  at: 'enrolments' | 'user' | 'enrolment' | 'end';
  /** The next step of `user` or `enrolment`, and the position in it. */
  step: number;
  place: KeyPosition | null;
  /** Anything written after this time was written by the erasure itself. */
  until: string;
};

export function beginning(now: Date, counts: Record<string, number> = {}): ErasureProgress {
  return { counts, at: 'enrolments', step: 0, place: null, until: now.toISOString() };
}

function counted(state: ErasureProgress, name: string, records: number): ErasureProgress {
  return { ...state, counts: { ...state.counts, [name]: (state.counts[name] ?? 0) + records } };
}

/** Returns the state after a batch. If `next` is null, the next step follows. */
function advanced(state: ErasureProgress, next: KeyPosition | null): ErasureProgress {
  return next === null ? { ...state, step: state.step + 1, place: null } : { ...state, place: next };
}

const movedTo = (state: ErasureProgress, at: ErasureProgress['at']): ErasureProgress => ({
  ...state,
  at,
  step: 0,
  place: null,
});

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

/** The budget of a transaction. Each record costs one unit. Each step has an additional cost for its statements. */
const maxBatchCost = 2 * batchRows;
const costOfStep = 4;

type Erasing = {
  erasureId: string;
  subject: Subject;
  state: ErasureProgress;
  /** This transaction has held the user's lock since before the first step. */
  isWhole: boolean;
};
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
  await run(ctx, lockUser, values);
  const [row] = await run<Row>(ctx, lockText, values);
  if (!row) return true;
  const { user_id: userId, login_id: loginId, progress } = row;
  const until = new Date(progress.until);
  const erasing: Erasing = {
    erasureId,
    subject: { userId, loginId, enrollId: '', until },
    state: progress,
    isWhole: progress.at === 'enrolments',
  };
  for (let cost = 0; cost < maxBatchCost; )
    if (erasing.state.at !== 'end') cost += await takeStep(ctx, erasing);
    else if (await finish(ctx, erasing)) return true;
    else cost = maxBatchCost;
  await updateOwn(ctx, 'erasure_under_way', { erasure_id: erasureId })
    .set({ progress: JSON.stringify(erasing.state) })
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
  const mine = ownRows(ctx, 'erasure_enrolment', { erasure_id: erasureId }).select('enroll_id');
  const first = await mine.orderBy('enroll_id').limit(1).executeTakeFirst();
  const step = ofEnrolment[erasing.state.step];
  if (!first) erasing.state = movedTo(erasing.state, 'end');
  else if (step) return takeBatch(ctx, erasing, step, { ...erasing.subject, enrollId: first.enroll_id });
  else {
    erasing.state = movedTo(erasing.state, 'enrolment');
    await deleteOwn(ctx, 'erasure_enrolment', {
      erasure_id: erasureId,
      enroll_id: first.enroll_id,
    }).execute();
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
  for (const { name, erase } of erasing.isWhole ? [] : again) {
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
  const one = await ownRows(ctx, 'enrolment', { user_id: userId })
    .select('enroll_id')
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
    Holds: [],
    ...(await receiptOf(ctx, { userId: subject.userId, erasureId }, (name) => ({
      Records: counts[name] ?? 0,
      More: false,
    }))),
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
  await deleteOwn(ctx, 'erasure_under_way', { erasure_id: erasureId }).execute();
  await appendEvents(ctx, [{ type: 'user.erased', data: { ReceiptID: erasureId } }]);
}

const pageRows = 100;

const underWay = `/* across tenants: unfinished erasures of all tenants */
select tenant_id, erasure_id from erasure_under_way where erasure_id > $1::uuid
  and ${isServed('tenant_id', '$2')} order by erasure_id limit ${pageRows}`;

type UnderWay = { tenant_id: string; erasure_id: string };

/** Reads the unfinished erasures of all tenants, oldest first. */
async function readUnderWay(ctx: Context): Promise<UnderWay[]> {
  const found: UnderWay[] = [];
  for (let after: string | undefined = '00000000-0000-0000-0000-000000000000'; after !== undefined; ) {
    const page: UnderWay[] = await run(ctx, underWay, [after, await servedTenants(ctx)]);
    found.push(...page);
    after = page.length === pageRows ? page.at(-1)?.erasure_id : undefined;
  }
  return found;
}

/**
 * Job: resumes erasures whose caller has disconnected or whose node has crashed. In each round, every
 * tenant gets one batch. A failed erasure does not stop the others, but the job fails at the end.
 */
export async function finishErasures(ctx: Context): Promise<void> {
  const errors: unknown[] = [];
  const ended = new Set<string>();
  for (;;) {
    const left = (await readUnderWay(ctx)).filter(({ erasure_id }) => !ended.has(erasure_id));
    if (left.length === 0) break;
    for (const [tenantId, [first]] of Map.groupBy(left, ({ tenant_id }) => tenant_id)) {
      if (!first) continue;
      const batch = transaction(forTenant(ctx, tenantId), (ctx) => eraseBatch(ctx, first.erasure_id));
      const isOver = await batch.catch((error) => {
        errors.push(error);
        return true;
      });
      if (isOver) ended.add(first.erasure_id);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, `${errors.length} erasures could not be finished.`);
}
