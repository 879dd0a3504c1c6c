import { exampleFields } from './examples.ts';
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
      'The same record as in GET /events. Signed according to Standard Webhooks (https://www.standardwebhooks.com).',
    parameters,
    security: [],
    responses: { '2XX': { description: 'Received. Any other response is retried for 72 hours.' } },
  };
}

/**
 * The deliveries to webhook endpoints, described as `webhooks` in the OpenAPI document: one operation for each event
 * type.
 */
export const describedEvents = Object.fromEntries(
  eventTypes.map((type) => [
    type,
    { operation: operation(type), body: eventSchema(type), fields: exampleFields(type) },
  ]),
);
