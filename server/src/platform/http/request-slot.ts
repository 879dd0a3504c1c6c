import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    slot: RequestSlot;
  }
}

/** A request's slot in a pool, released when the request ends for any reason. */
export type RequestSlot = {
  /** Null once the request has ended, so that a reference to the slot does not keep the request in memory. */
  reply: FastifyReply | null;
  hasEnded: boolean;
  leave: (() => void) | null;
  isAnonymous: boolean;
  readonly callbacks: (() => void)[];
};

/**
 * Gives the request its slot. Must be called before anything is awaited, because the client may disconnect in the
 * meantime.
 */
export function openRequestSlot(request: FastifyRequest, reply: FastifyReply): void {
  const slot: RequestSlot = { reply, hasEnded: false, leave: null, isAnonymous: false, callbacks: [] };
  request.slot = slot;
  reply.raw.once('close', () => {
    slot.hasEnded = true;
    slot.reply = null;
    slot.leave?.();
    for (const work of slot.callbacks) work();
  });
}

/**
 * Calls `work` when the request has ended. All callbacks share one listener, because each listener costs a microsecond.
 */
export function onRequestEnd({ slot }: FastifyRequest, work: () => void): void {
  if (slot.hasEnded) work();
  else slot.callbacks.push(work);
}
