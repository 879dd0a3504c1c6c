import type { TenantContext } from '../../platform/context.ts';
import type { Person } from '../../platform/personal-data.ts';
import { countAnswers } from '../../platform/retries/stored-answers.ts';
import { someEnrolments } from '../enrolments/personal-data.ts';
import { heldData } from './held.ts';
import { type Count, receiptOf, storedAnswers } from './receipt.ts';
import { type Erasure, mostPlanned } from './schemas.ts';

/** What an erasure would do. It counts up to a limit, each kind of data in a statement of its own. */
export async function planErasure(ctx: TenantContext, person: Person): Promise<Erasure> {
  const most = mostPlanned + 1;
  const { userId, loginId } = person;
  const enrollIds = await someEnrolments(ctx, userId, most);
  const counts = new Map<string, number>();
  for (const data of heldData) counts.set(data.name, await data.count(ctx, { userId, enrollIds, most }));
  counts.set(storedAnswers, await countAnswers(ctx, { loginId, most }));
  // Of what belongs to the enrolments that were not counted, nobody knows how many there are.
  const areAll = enrollIds.length < most;
  const countOf = (name: string): Count => {
    const records = counts.get(name) ?? 0;
    const isAll = records < most && (areAll || name === 'User');
    return { Records: Math.min(records, mostPlanned), More: !isAll };
  };
  return { ReceiptID: null, LoginID: loginId, Plan: true, ErasedAt: null, ...receiptOf(countOf) };
}
