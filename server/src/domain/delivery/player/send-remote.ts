import type { FastifyRequest } from 'fastify';
import { isKnown } from '../../../http/built-files.ts';
import type { RouteResponse } from '../../../http/routes.ts';
import type { ByteRange, FoundFile } from '../../../infra/storage/package-files.ts';
import { Problem } from '../../../lib/errors.ts';

type Remote = Extract<FoundFile, { kind: 'remote' }>;

/** Sends a file that is only in the object store, whole or in the requested range (RFC 9110 §14). */
export async function sendRemote(
  request: FastifyRequest,
  { bytes, etag, read }: Remote,
  headers: Record<string, string>,
): Promise<RouteResponse> {
  const { range, 'if-range': unchanged } = request.headers;
  const all = { ...headers, 'Accept-Ranges': 'bytes', ETag: etag };
  if (isKnown(request, etag)) return { status: 304, headers: all };
  const part = unchanged === undefined || unchanged === etag ? rangeOf(range, bytes) : null;
  if (part === 'outside')
    throw new Problem(
      'range_not_satisfiable',
      `The requested range is beyond the end of the file (${bytes} bytes).`,
    );
  const length = part ? part.end - part.start + 1 : bytes;
  const sent = {
    ...all,
    'Content-Length': String(length),
    ...(part && { 'Content-Range': `bytes ${part.start}-${part.end}/${bytes}` }),
  };
  const status = part ? 206 : 200;
  return {
    status,
    headers: sent,
    body: request.method === 'HEAD' ? undefined : await read(part ?? undefined),
  };
}

/** Null if the whole file is to be sent: without a range, or with several, which a server may ignore. */
function rangeOf(header: string | undefined, bytes: number): ByteRange | 'outside' | null {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === '' && last === '') return null;
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first);
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (start >= bytes || (first === '' && Number(last) === 0)) return 'outside';
  return end < start ? null : { start, end };
}

/** How many bytes a response to a request with this Range header contains. */
export function bytesOf(range: string | undefined, bytes: number): number {
  const part = rangeOf(range, bytes);
  if (part === 'outside') return 0;
  return part ? part.end - part.start + 1 : bytes;
}
