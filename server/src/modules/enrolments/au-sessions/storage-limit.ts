import type { TenantContext } from '../../../platform/context.ts';
import { run } from '../../../platform/db/transaction.ts';
import { Problem } from '../../../platform/errors.ts';

/**
 * Maximum bytes that the AUs of an enrolment can store. A statement takes about 1 kB, and SCORM units may store 1 MiB
 * each.
 */
export const maxAuBytes = 64 * 1024 ** 2;

/** Bytes that only launches and statements with a new result may use, so that other data cannot displace them. */
const reservedBytes = 8 * 1024 ** 2;

const take = `update enrolment set au_bytes = greatest(au_bytes + $3, 0)
where tenant_id = $1 and enroll_id = $2 and ($3 <= 0 or au_bytes + $3 <= $4) returning 1`;

/**
 * Counts bytes against the enrolment's limit, or frees them if `bytes` is negative. Runs in the transaction that stores
 * them.
 */
export async function countStorage(
  ctx: TenantContext,
  enrollId: string,
  { bytes, isReserved }: { bytes: number; isReserved: boolean },
): Promise<void> {
  const values = [ctx.tenantId, enrollId, bytes, isReserved ? maxAuBytes + reservedBytes : maxAuBytes];
  const taken = await run(ctx, { name: 'take_au_space', text: take, values });
  if (taken.length > 0) return;
  throw new Problem(
    'storage_limit',
    `The units of an enrolment can store at most ${maxAuBytes / 1024 ** 2} MiB of statements, attachments and documents. Replace documents instead of adding new ones.`,
  );
}
