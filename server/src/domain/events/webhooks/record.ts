import type { Selectable } from 'kysely';
import type { WebhookTable } from '../../../db/engine/generated.ts';
import { Problem } from '../../../lib/errors.ts';
import type { Webhook } from './schemas.ts';

export type WebhookRow = Selectable<WebhookTable>;

export function webhookNotFound(): Problem {
  return new Problem(
    'webhook_not_found',
    'The webhook endpoint does not exist. Create it with POST /webhook.',
  );
}

export function toWebhook(row: WebhookRow): Webhook {
  return {
    WebhookID: row.webhook_id,
    Kind: row.kind,
    URL: row.url,
    Username: row.username,
    TokenURL: row.token_url,
    Scope: row.scope,
    Actor: row.actor,
    Types: row.kind === 'events' ? row.types : null,
    Description: row.description,
    Status: row.status,
    DisabledReason: row.disabled_reason,
    FailingSince: row.failing_since?.toISOString() ?? null,
    CreatedAt: row.created_at.toISOString(),
    UpdatedAt: row.updated_at.toISOString(),
  };
}
