import { readLog } from '../events/log.ts';
import { failure, NoToken, nothingSent } from '../events/webhooks/access-token.ts';
import { eventSource } from '../events/webhooks/event-source.ts';
import { findPastEvents } from '../events/webhooks/past-events.ts';
import type { Source } from '../events/webhooks/source.ts';
import { accessToken, forgetToken } from '../lti/access-token.ts';
import { deliveriesFor, scoreTypes } from './links.ts';
import { sendScore } from './send-score.ts';

const maxEvents = 500;

/** Scores for a learning platform (AGS 2.0). A delivery sends what the enrolment has reached by then. */
export const scoreSource: Source = {
  hasMore: eventSource.hasMore,
  end: eventSource.end,
  keepsOrder: false,
  readLog: async (ctx, { endpoint, after }) => {
    const { events, position, hasMore } = await readLog(ctx, {
      after: { position: after, eventId: null },
      types: scoreTypes,
      limit: maxEvents,
    });
    const concerned = events.map(({ event }) => ({
      eventId: event.EventID,
      enrollId: event.EnrollID ?? '',
      type: event.Type,
    }));
    return {
      deliveries: await deliveriesFor(ctx, endpoint.webhook_id, concerned),
      position: position.position,
      hasMore: hasMore || events.length === maxEvents,
    };
  },
  send: sendScore,
  /** Asks for an access token, which shows whether the platform accepts our key and allows scores. */
  ping: async (ctx, { endpoint }) => {
    const began = performance.now();
    forgetToken(ctx, endpoint.webhook_id, 'score');
    const outcome = await accessToken(ctx, endpoint.webhook_id, 'score').then(
      () => ({ ...nothingSent, status: 200 }),
      (error: unknown) => {
        if (error instanceof NoToken) return failure(error);
        throw error;
      },
    );
    return { ...outcome, milliseconds: Math.round(performance.now() - began) };
  },
  findPast: async (ctx, { endpoint, ...input }) => {
    const past = await findPastEvents(ctx, { ...input, types: scoreTypes });
    const concerned = past.map(({ event_id, lane, type }) => ({ eventId: event_id, enrollId: lane, type }));
    return deliveriesFor(ctx, endpoint.webhook_id, concerned);
  },
};
