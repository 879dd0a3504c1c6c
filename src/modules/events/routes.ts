import { pageLimit } from '../../platform/pagination.ts';
import { ok, route } from '../../platform/routes.ts';
import { readLog } from './log.ts';
import { fromCursor, toCursor } from './position.ts';
import { EventPage, eventQuery } from './schemas.ts';
import { readTypes } from './types.ts';

export const eventRoutes = [
  route({
    method: 'GET',
    path: '/events',
    name: 'listEvents',
    summary: 'Read what happened, in order and without gaps',
    tag: 'Events',
    access: 'tenant',
    scope: 'events:read',
    query: eventQuery,
    answers: { 200: { description: 'What happened after Cursor, oldest first.', schema: EventPage } },
    handle: async (ctx, { query }) => {
      const cursor = query.Cursor ?? query.after;
      const { events, position } = await readLog(ctx, {
        limit: pageLimit(query),
        ...(cursor === undefined ? {} : { after: fromCursor(cursor) }),
        ...(query.Types === undefined ? {} : { types: readTypes(query.Types.split(','), 'Types') }),
        ...(query.EnrollID === undefined ? {} : { enrollId: query.EnrollID }),
      });
      return ok({ Items: events.map(({ event }) => event), NextCursor: toCursor(position) });
    },
  }),
];
