import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../../infra/context/context.ts';
import { streamOf } from '../../infra/load/request-end.ts';
import { Problem } from '../../lib/errors.ts';
import { notFound } from '../problems.ts';
import type { Caller } from '../routes.ts';
import { beginBulk, declaredBytes, requireDiskSpace } from '../rows/uploads.ts';

/** Rejects requests that no caller may send, before reading the body. */
export function rejectBeforeBody(request: FastifyRequest): Problem | undefined {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity')
    return new Problem('unsupported_media_type', 'Send the body uncompressed, without Content-Encoding.');
  return request.is404 && hasBody(request.raw) ? notFound(request) : undefined;
}

/** Rejects a body by its declared length, before reading it. */
export function rejectLargeBody(request: FastifyRequest): void {
  const bytes = declaredBytes(request);
  if (bytes === 0) return;
  const { bodyLimit = 0 } = request.routeOptions;
  if (bytes > bodyLimit)
    throw new Problem(
      'payload_too_large',
      `The body is larger than ${bodyLimit} bytes. Split it into several requests.`,
    );
}

/** Admits a known caller's upload: a package, or the rows of a bulk call. A key may make two bulk calls at a time. */
export async function admitUpload(
  ctx: Context,
  request: FastifyRequest,
  caller: Caller,
  isBulk: boolean,
): Promise<void> {
  await requireDiskSpace(ctx, declaredBytes(request));
  const { tenantId } = request;
  if (isBulk && tenantId !== null) beginBulk(ctx, request, { keyId: caller.keyId, tenantId });
}

/** Whether a body follows. Over HTTP/2, it follows unless the headers ended the stream, whatever length they declare. */
function hasBody(raw: IncomingMessage): boolean {
  const { headers } = raw;
  if (raw.httpVersionMajor >= 2) return !streamOf(raw).endAfterHeaders;
  const length = headers['content-length'];
  return length !== undefined ? length !== '0' : headers['transfer-encoding'] !== undefined;
}
