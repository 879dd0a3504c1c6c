import { eventSchema } from './schemas.ts';
import { type EventType, eventCatalogue, eventTypes } from './types.ts';

const names = ['webhook-id', 'webhook-timestamp', 'webhook-signature'];
const parameters = names.map((name) => ({
  name,
  in: 'header' as const,
  required: true,
  schema: { type: 'string' as const },
}));

function operation(type: EventType) {
  const [summary] = eventCatalogue[type];
  return {
    operationId: type,
    tags: ['Webhooks'],
    summary,
    description:
      'Also an item of GET /events. Signed as Standard Webhooks says (https://www.standardwebhooks.com).',
    parameters,
    security: [],
    responses: { '2XX': { description: 'Received. Anything else is tried again, for 72 hours.' } },
  };
}

/** What is sent to webhook endpoints, as `webhooks` of the OpenAPI document: one operation for each type of event. */
export const describedEvents = Object.fromEntries(
  eventTypes.map((type) => [type, { operation: operation(type), body: eventSchema(type) }]),
);
