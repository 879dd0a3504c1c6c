import type { Selectable } from 'kysely';
import type { WebhookDeliveryTable, WebhookTable } from '../../platform/db/generated.ts';

type Tried = Pick<Selectable<WebhookDeliveryTable>, 'attempted_at' | 'next_attempt_at'>;

/**
 * The time at which a pending delivery is retried; null means now. When an endpoint is enabled, all
 * deliveries attempted before then become due.
 */
export function nextAttemptAt(
  { attempted_at, next_attempt_at }: Tried,
  enabledAt: Selectable<WebhookTable>['enabled_at'],
): Date | null {
  const isOld = enabledAt !== null && attempted_at !== null && attempted_at < enabledAt;
  return isOld ? null : next_attempt_at;
}
