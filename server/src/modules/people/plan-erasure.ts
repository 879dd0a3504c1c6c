import type { TenantContext } from '../../platform/context.ts';
import type { Person } from '../../platform/personal-data.ts';
import { countStoredResponses } from '../../platform/retries/stored-responses.ts';
import { enrolmentIdsOf } from '../enrolments/personal-data.ts';
import { allPersonalData } from './all-personal-data.ts';
import { type Count, receiptOf, storedResponses } from './receipt.ts';
import { type Erasure, maxPlanned } from './schemas.ts';

/**
 * Counts the records that an erasure would affect, in short statements. Each kind of data is
 * counted up to a limit.
 */
export async function planErasure(ctx: TenantContext, person: Person): Promise<Erasure> {
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
  return { ReceiptID: null, LoginID: loginId, Plan: true, ErasedAt: null, ...receiptOf(countOf) };
}
