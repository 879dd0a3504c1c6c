import type { FastifyReply, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    place: Place;
  }
}

/** The place of a request in a pool, given back when the request is over, however it ends. */
type Place = {
  readonly reply: FastifyReply;
  over: boolean;
  leave: (() => void) | null;
  ofStranger: boolean;
  readonly afterwards: (() => void)[];
};

/** Gives the request its place; to be called before anything waits, because a client may leave meanwhile. */
export function openPlace(request: FastifyRequest, reply: FastifyReply): void {
  const place: Place = { reply, over: false, leave: null, ofStranger: false, afterwards: [] };
  request.place = place;
  reply.raw.once('close', () => {
    place.over = true;
    place.leave?.();
    for (const work of place.afterwards) work();
  });
}

/** Does the work when the request is over. One listener for all: each costs a microsecond. */
export function whenOver({ place }: FastifyRequest, work: () => void): void {
  if (place.over) work();
  else place.afterwards.push(work);
}
