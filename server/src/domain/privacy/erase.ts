import { ownRows } from '../../db/own-rows.ts';
import { transaction } from '../../db/transaction.ts';
import { countStoredResponses } from '../../infra/calls/stored-responses.ts';
import type { TenantContext } from '../../infra/context/context.ts';
import type { Person } from '../../infra/context/personal-data.ts';
import { requireScope } from '../../infra/context/scopes.ts';
import { newId } from '../../lib/ids.ts';
import { audit } from '../audit/chain.ts';
import { enrolmentIdsOf } from '../enrolments/personal-data.ts';
import { evidenceData, retainEvidence } from '../evidence/personal-data.ts';
import { type Erasure, maxPlanned } from '../sign-in/schemas.ts';
import { closeUser } from '../users/personal-data.ts';
import { requireUntouched, undoMs } from '../users/untouched.ts';
import { userNotFound } from '../users/users.ts';
import { allPersonalData, findPerson } from './all-personal-data.ts';
import {
  beginning,
  type Count,
  type ErasureProgress,
  eraseBatch,
  loginHash,
  receiptOf,
  storedResponses,
} from './erase-batches.ts';
import { holdsOf, rejectHeld } from './holds.ts';

/** Counts the records that an erasure would affect, in short statements. Each kind of data is counted up to a limit. */
async function planErasure(ctx: TenantContext, person: Person): Promise<Erasure> {
  const max = maxPlanned + 1;
  const { userId, loginId } = person;
  const enrollIds = await enrolmentIdsOf(ctx, userId, max);
  const counts = new Map<string, number>();
  for (const data of allPersonalData)
    counts.set(data.name, await data.count(ctx, { userId, enrollIds, max }));
  counts.set(storedResponses, await countStoredResponses(ctx, { loginId, max }));
  // If not all enrolments were counted, the number of their records is unknown.
  const hasAllEnrolments = enrollIds.length < max;
  const countOf = (name: string): Count => {
    const records = counts.get(name) ?? 0;
    const isAll = records < max && (hasAllEnrolments || name === 'User');
    return { Records: Math.min(records, maxPlanned), More: !isAll };
  };
  const receipt = await receiptOf(ctx, { userId, erasureId: null }, countOf);
  const Holds = await holdsOf(ctx, userId);
  return { ReceiptID: null, LoginID: loginId, Plan: true, ErasedAt: null, Holds, ...receipt };
}

/** Data that remains after a user is created or an enrolment is withdrawn before its first launch. */
const ofCreation = ['Enrolments', 'Imports', 'Deliveries', 'Events', 'PlatformMemberships', 'Team', 'User'];

/** Throws `touched` unless the user was created within this time and has had no changes or activity since. */
async function requireUntouchedUser(ctx: TenantContext, person: Person, untouchedMs: number): Promise<void> {
  const user = await ownRows(ctx, 'user', { user_id: person.userId })
    .select(['created_at', 'updated_at'])
    .executeTakeFirst();
  if (!user) throw userNotFound();
  const enrolment = await findEnrolment(ctx, person);
  const isUsed = (enrolment?.launches ?? 0) > 0 || (await hasOtherData(ctx, person));
  const isEnrolled = enrolment !== undefined;
  const touches = { createdAt: user.created_at, changedAt: user.updated_at, isUsed, isEnrolled };
  requireUntouched(ctx, touches, untouchedMs);
}

/**
 * The enrolment with the most launches. Ignores enrolments withdrawn before their first launch, for example
 * by the same undo.
 */
async function findEnrolment(ctx: TenantContext, { userId }: Person) {
  return ownRows(ctx, 'enrolment', { user_id: userId })
    .select('launches')
    .where((is) => is.or([is('status', '<>', 'withdrawn'), is('launches', '>', 0)]))
    .orderBy('launches', 'desc')
    .limit(1)
    .executeTakeFirst();
}

async function hasOtherData(ctx: TenantContext, { userId, isAdmin }: Person): Promise<boolean> {
  for (const { name, count } of allPersonalData) {
    if (ofCreation.includes(name)) continue;
    // The audit trail records that an administrator was created.
    const expected = name === 'AuditTrail' && isAdmin ? 1 : 0;
    if ((await count(ctx, { userId, enrollIds: [], max: 2 })) > expected) return true;
  }
  return false;
}

/**
 * Erases a person and ends their access. The first transaction locks the user, closes the account and, if
 * there is little data, erases everything. Otherwise, each call erases a batch and returns null until nothing
 * is left. With `untouchedMs`, rejects a user who is older, or has been changed or active.
 */
export async function eraseUser(
  ctx: TenantContext,
  input: { loginId: string; plan: boolean; untouchedMs?: number | null; isContinued: boolean },
): Promise<Erasure | null> {
  const { loginId, untouchedMs = null, isContinued } = input;
  if (input.plan) return plan(ctx, loginId, untouchedMs);
  const begun = await transaction(ctx, async (ctx) => {
    const begun = await beginErasure(ctx, { loginId, untouchedMs, isContinued });
    if (!begun) return null;
    const { erasureId, isNew } = begun;
    const isOver = await eraseBatch(ctx, erasureId);
    if (isNew) await audit(ctx, 'user.erased', erasureId);
    return { erasureId, isOver };
  });
  if (begun && !begun.isOver) return null;
  return readReceipt(ctx, { loginId, erasureId: begun?.erasureId ?? null });
}

/** Erases a user who has been neither changed nor used since they were created. */
export async function removeUntouched(
  ctx: TenantContext,
  loginId: string,
  untouchedMs = undoMs,
): Promise<void> {
  const input = { loginId, plan: false, untouchedMs };
  for (let turn = 0; (await eraseUser(ctx, { ...input, isContinued: turn > 0 })) === null; turn++);
}

/** For a person who has already been erased, the plan is the receipt. */
async function plan(ctx: TenantContext, loginId: string, untouchedMs: number | null): Promise<Erasure> {
  const person = await findPerson(ctx, loginId, false);
  if (!person) return readReceipt(ctx, { loginId, erasureId: null });
  if (person.isAdmin) requireScope(ctx, 'users:admin', 'Erasing an administrator');
  if (untouchedMs !== null) await requireUntouchedUser(ctx, person, untouchedMs);
  return planErasure(ctx, person);
}

/** The person's erasure, which may already be in progress; null if the person does not exist. */
async function beginErasure(
  ctx: TenantContext,
  {
    loginId,
    untouchedMs,
    isContinued,
  }: { loginId: string; untouchedMs: number | null; isContinued: boolean },
): Promise<{ erasureId: string; isNew: boolean } | null> {
  const person = await findPerson(ctx, loginId, true);
  if (!person) return null;
  if (person.isAdmin) requireScope(ctx, 'users:admin', 'Erasing an administrator');
  const known = await ownRows(ctx, 'erasure_under_way', { user_id: person.userId })
    .select('erasure_id')
    .executeTakeFirst();
  if (known) return { erasureId: known.erasure_id, isNew: false };
  // Another node has finished, and the LoginID already belongs to somebody else.
  if (isContinued) return null;
  await rejectHeld(ctx, person.userId);
  if (untouchedMs !== null) await requireUntouchedUser(ctx, person, untouchedMs);
  const now = ctx.now();
  const erasureId = newId(now);
  const retained = await retainEvidence(ctx, { userId: person.userId, erasureId });
  const progress: ErasureProgress = beginning(now, { [evidenceData.name]: retained });
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
  const row = await ownRows(ctx, 'erasure', { login_mark: loginHash(ctx, loginId) })
    .select('receipt')
    .$if(erasureId !== null, (query) => query.where('erasure_id', '=', erasureId ?? ''))
    .orderBy('erasure_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!row) throw userNotFound();
  return { ...(row.receipt as Omit<Erasure, 'LoginID'>), LoginID: loginId };
}
