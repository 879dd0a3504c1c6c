import type { FastifyRequest } from 'fastify';
import { onRequestEnd } from '../http/request-slot.ts';

/** Bytes of responses that clients have not read yet, by tenant. */
export type UnreadBytes = { readonly most: number; readonly bytes: Map<string, number> };

export const openUnreadBytes = (most: number): UnreadBytes => ({ most, bytes: new Map() });

export function isUnreadFull({ most, bytes }: UnreadBytes, line: string): boolean {
  return (bytes.get(line) ?? 0) >= most;
}

/** Counts a response against its tenant until it is sent. */
export function countUnread(
  { bytes }: UnreadBytes,
  request: FastifyRequest,
  line: string,
  answer: string,
): void {
  if (request.slot.hasEnded) return;
  const length = Buffer.byteLength(answer);
  bytes.set(line, (bytes.get(line) ?? 0) + length);
  onRequestEnd(request, () => {
    const left = (bytes.get(line) ?? 0) - length;
    if (left > 0) bytes.set(line, left);
    else bytes.delete(line);
  });
}
