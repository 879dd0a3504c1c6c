import { statfs } from 'node:fs/promises';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { Problem } from '../errors.ts';
import { countRejection } from '../operations/counters.ts';

const callsOfKey = 2;
/** Four files of 256 MiB use at most 1 GiB per tenant. */
const filesOfTenant = 4;
/** The maximum number of bytes that a client may be ahead of the processing. */
export const spoolBytes = 256 * 1024 ** 2;

const minFreeBytes = 1024 ** 3;
const minFreeFraction = 1 / 20;

/** Increments the count and returns a function to decrement it; null if the maximum is reached. */
function count(counts: Map<string, number>, name: string, max: number): (() => void) | null {
  const now = counts.get(name) ?? 0;
  if (now >= max) return null;
  counts.set(name, now + 1);
  return () => {
    const left = (counts.get(name) ?? 1) - 1;
    if (left > 0) counts.set(name, left);
    else counts.delete(name);
  };
}

function busy(detail: string): Problem {
  return new Problem('too_many_requests', `${detail} Retry when one of them has finished.`, {
    retryAfter: 10,
  });
}

/** Admits a bulk call before its rows are read. Returns a function to call when it has ended. */
export function beginBulk(ctx: Context, input: { keyId: string; tenantId: string }): () => void {
  const { bulkCalls, bulkFiles } = ctx.admission;
  const endCall = count(bulkCalls, input.keyId, callsOfKey);
  if (!endCall) {
    countRejection(ctx, 'uploads', 'key_concurrency');
    throw busy(`This key has ${callsOfKey} bulk calls in progress, which is the maximum.`);
  }
  const endFile = count(bulkFiles, input.tenantId, filesOfTenant);
  if (endFile)
    return () => {
      endCall();
      endFile();
    };
  endCall();
  countRejection(ctx, 'uploads', 'tenant_concurrency');
  throw busy(`This tenant has ${filesOfTenant} bulk calls in progress, which is the maximum.`);
}

/**
 * Keeps disk space free for the database and other programs: 1 GiB, or a twentieth of a smaller
 * disk.
 */
export async function requireDiskSpace(ctx: Context, bytes: number): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(ctx.config.dataDir);
  if (bavail * bsize - bytes >= Math.min(minFreeBytes, blocks * bsize * minFreeFraction)) return;
  countRejection(ctx, 'uploads', 'disk');
  throw new Problem(
    'unavailable',
    'The service is running out of disk space. Retry later, or contact its operator.',
    {
      retryAfter: 60,
    },
  );
}

/** The declared size of an upload; 0 if it declares none. */
export function declaredBytes({ headers }: FastifyRequest): number {
  return Number(headers['content-length'] ?? 0) || 0;
}
