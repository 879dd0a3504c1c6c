import { readLog } from '../log.ts';
import { pingBody, readBody, toMessage } from './message.ts';
import { findPastEvents } from './past-events.ts';
import type { Source } from './source.ts';

const maxEvents = 500;

/**
 * Each event is a separate delivery. The events of an enrolment are sent in order. So are a user's
 * events that concern no enrolment.
 */
export const eventSource: Source = {
  hasMore: `exists (
    select from event_log where event_log.tenant_id = hook.tenant_id and event_log.position > hook.position)`,
  end: `coalesce((select event_log.position from event_log where event_log.tenant_id = $1), 0)`,
  keepsOrder: false,
  readLog: async (ctx, { endpoint, after }) => {
    const { events, position, hasMore } = await readLog(ctx, {
      after: { position: after, eventId: null },
      types: endpoint.types,
      limit: maxEvents,
    });
    return {
      deliveries: events.map(({ event, userId }) => ({
        event_id: event.EventID,
        type: event.Type,
        lane: event.EnrollID ?? userId ?? event.EventID,
      })),
      position: position.position,
      hasMore: hasMore || events.length === maxEvents,
    };
  },
  send: async (ctx, { endpoint, delivery, sender, at, stop }) => {
    const body = await readBody(ctx, delivery.eventId);
    if (!body) throw new Error(`The event ${delivery.eventId} of a delivery does not exist.`);
    return sender.send(toMessage(ctx, endpoint, body, at), stop);
  },
  ping: (ctx, { endpoint, eventId, sender, at, stop }) => {
    const body = pingBody({ eventId, webhookId: endpoint.webhook_id, at });
    return sender.send(toMessage(ctx, endpoint, body, at), stop);
  },
  findPast: (ctx, { endpoint, ...input }) => findPastEvents(ctx, { ...input, types: endpoint.types }),
};
