import { Badge } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';

export type Delivery = components['schemas']['Delivery'];

/** `again` means that at least one attempt failed and another will follow. */
type DeliveryState = 'waiting' | 'again' | 'delivered' | 'failed';

const colors: Record<DeliveryState, string> = {
  waiting: 'gray',
  again: 'orange',
  delivered: 'green',
  failed: 'red',
};

function stateOf({ Status, Attempts }: Delivery): DeliveryState {
  if (Status === 'pending') return Attempts === 0 ? 'waiting' : 'again';
  return Status;
}

export function DeliveryBadge({ delivery }: { delivery: Delivery }) {
  const t = useTranslations('webhooks');
  const state = stateOf(delivery);
  return (
    <Badge color={colors[state]} miw="max-content">
      {t(`deliveryStates.${state}`)}
    </Badge>
  );
}
