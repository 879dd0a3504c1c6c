import { eventSource } from './modules/webhooks/event-source.ts';
import type { WebhookKind } from './modules/webhooks/schemas.ts';
import type { Source } from './modules/webhooks/source.ts';
import { statementSource } from './modules/xapi/forwarding/statement-source.ts';

/** The source of the messages for each kind of endpoint. */
export const webhookSources: Readonly<Record<WebhookKind, Source>> = {
  events: eventSource,
  xapi: statementSource,
};
