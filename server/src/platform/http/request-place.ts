import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    place: Place;
  }
}

/** A request's place in a pool, released when the request has ended for whatever reason. */
export type Place = {
  /** Null once the request has ended, so that a reference to the place does not keep the request in memory. */
  reply: FastifyReply | null;
  over: boolean;
  leave: (() => void) | null;
  isAnonymous: boolean;
  readonly afterwards: (() => void)[];
};

/**
 * Gives the request its place. Call it before anything waits, because a client may disconnect in the
 * meantime.
 */
export function openPlace(request: FastifyRequest, reply: FastifyReply): void {
  const place: Place = { reply, over: false, leave: null, isAnonymous: false, afterwards: [] };
  request.place = place;
  reply.raw.once('close', () => {
    place.over = true;
    place.reply = null;
    place.leave?.();
    for (const work of place.afterwards) work();
  });
}

/** Does the work when the request has ended. One listener for all: each costs a microsecond. */
export function whenOver({ place }: FastifyRequest, work: () => void): void {
  if (place.over) work();
  else place.afterwards.push(work);
}
