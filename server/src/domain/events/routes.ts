import { foreignCursor, pageLimit, readCursor } from '../../http/pagination.ts';
import { ok, route } from '../../http/routes.ts';
import { isId } from '../../lib/ids.ts';
import { findPersonId } from '../audit/list.ts';
import { listNewest, readLog } from './log.ts';
import { fromCursor, logStart, toCursor } from './position.ts';
import { type Event, EventPage, eventQuery } from './schemas.ts';
import { readTypes } from './types.ts';

export const eventRoutes = [
  route('GET /events', 'listEvents', {
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
      const Items: Event[] = [];
      let after = cursor === undefined ? logStart : fromCursor(cursor);
      for (let more = true; more; ) {
        const page = await readLog(ctx, { ...filter, after, limit: limit - Items.length });
        Items.push(...page.events.map(({ event }) => event));
        after = page.position;
        more = page.hasMore;
      }
      return ok({ Items, NextCursor: toCursor(after) });
    },
  }),
];
