import type { FastifyRequest } from 'fastify';
import { onRequestEnd } from '../http/request-slot.ts';

/** Bytes of responses that clients have not read yet, by tenant or enrolment. */
export type UnreadBytes = { readonly max: number; readonly bytes: Map<string, number> };

export const openUnreadBytes = (max: number): UnreadBytes => ({ max, bytes: new Map() });

export function isUnreadFull({ max, bytes }: UnreadBytes, owner: string): boolean {
  return (bytes.get(owner) ?? 0) >= max;
}

/** Counts a response against its owner until it is sent. */
export function countUnread(
  { bytes }: UnreadBytes,
  request: FastifyRequest,
  owner: string,
  answer: string | Buffer,
): void {
  if (request.slot.hasEnded) return;
  const length = Buffer.byteLength(answer);
  bytes.set(owner, (bytes.get(owner) ?? 0) + length);
  onRequestEnd(request, () => {
    const left = (bytes.get(owner) ?? 0) - length;
    if (left > 0) bytes.set(owner, left);
    else bytes.delete(owner);
  });
}
