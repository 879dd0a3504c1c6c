import { statfs } from 'node:fs/promises';
import type { FastifyRequest } from 'fastify';
import { beginWithin } from '../../infra/calls/limits.ts';
import type { Context } from '../../infra/context/context.ts';
import { countRejection } from '../../infra/context/counters.ts';
import { onRequestEnd } from '../../infra/context/request-end.ts';
import { Problem } from '../../lib/errors.ts';

/** The maximum number of bytes that a client may be ahead of the processing. */
export const spoolBytes = 256 * 1024 ** 2;

const minFreeBytes = 1024 ** 3;
const minFreeFraction = 1 / 20;

/** Admits a bulk call before its rows are read. It ends with the request. */
export function beginBulk(
  ctx: Context,
  request: FastifyRequest,
  { keyId, tenantId }: { keyId: string; tenantId: string },
): void {
  onRequestEnd(request, beginWithin(ctx, 'bulk_calls', keyId));
  onRequestEnd(request, beginWithin(ctx, 'bulk_files', tenantId));
}

/**
 * Keeps disk space free for the database and other programs: 1 GiB, or a twentieth of a smaller
 * disk.
 */
export async function requireDiskSpace(ctx: Context, bytes: number): Promise<void> {
  const { bavail, blocks, bsize } = await statfs(ctx.config.dataDir);
  if (bavail * bsize - bytes >= Math.min(minFreeBytes, blocks * bsize * minFreeFraction)) return;
  countRejection(ctx, 'disk');
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
