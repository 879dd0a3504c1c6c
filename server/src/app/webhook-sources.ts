import { eventSource } from '../domain/events/webhooks/event-source.ts';
import type { WebhookKind } from '../domain/events/webhooks/schemas.ts';
import type { Source } from '../domain/events/webhooks/source.ts';
import { resultSource } from '../domain/lrs/forwarding/result-source.ts';
import { statementSource } from '../domain/lrs/forwarding/statement-source.ts';
import { scoreSource } from '../domain/scores/score-source.ts';

/** The source of the messages for each kind of endpoint. */
export const webhookSources: Readonly<Record<WebhookKind, Source>> = {
  events: eventSource,
  xapi: statementSource,
  results: resultSource,
  lti: scoreSource,
};
