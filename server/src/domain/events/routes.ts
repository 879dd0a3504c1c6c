import { foreignCursor, pageLimit, readCursor } from '../../http/pagination.ts';
import { ok, route } from '../../http/routes.ts';
import { isId } from '../../lib/ids.ts';
import { findPersonId } from '../audit/list.ts';
import { listNewest, readLog } from './log.ts';
import { fromCursor, logStart, toCursor } from './position.ts';
import { EventPage, eventQuery } from './schemas.ts';
import { readTypes } from './types.ts';

export const eventRoutes = [
  route({
    method: 'GET',
    path: '/events',
    name: 'listEvents',
    summary: 'List events, in order and without gaps',
    description: 'Send the last `NextCursor` to get the events since then.',
    tag: 'Events',
    access: 'tenant',
    scope: 'events:read',
    query: eventQuery,
    responses: {
      200: { description: 'The events after Cursor or, with Order=newest, before it.', schema: EventPage },
    },
    handle: async (ctx, { query }) => {
      const cursor = query.Cursor ?? query.after;
      const limit = pageLimit(query);
      const filter = {
        ...(query.Types === undefined ? {} : { types: readTypes(query.Types.split(','), 'Types') }),
        ...(query.EnrollID === undefined ? {} : { enrollId: query.EnrollID }),
        ...(query.LoginID === undefined ? {} : { userId: await findPersonId(ctx, query.LoginID) }),
      };
      if (query.Order === 'newest') {
        const before = readCursor(cursor === undefined ? {} : { Cursor: cursor });
        if (before !== null && !isId(before)) throw foreignCursor();
        return ok(await listNewest(ctx, { ...filter, before, Limit: limit }));
      }
      let after = cursor === undefined ? logStart : fromCursor(cursor);
      for (;;) {
        const { events, position, hasMore } = await readLog(ctx, { ...filter, after, limit });
        if (events.length > 0 || !hasMore)
          return ok({ Items: events.map(({ event }) => event), NextCursor: toCursor(position) });
        after = position;
      }
    },
  }),
];
