import type { Selectable } from 'kysely';
import type { WebhookTable } from '../../../db/engine/generated.ts';
import { recordOf } from '../../../http/records.ts';
import { Problem } from '../../../lib/errors.ts';
import { Webhook } from './schemas.ts';

export type WebhookRow = Selectable<WebhookTable>;

export function webhookNotFound(): Problem {
  return new Problem(
    'webhook_not_found',
    'The webhook endpoint does not exist. Create it with POST /webhook.',
  );
}

export function toWebhook(row: WebhookRow): Webhook {
  return recordOf(Webhook, row, { Types: row.kind === 'events' ? row.types : null });
}
