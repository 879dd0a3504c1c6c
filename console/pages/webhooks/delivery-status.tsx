import { Badge } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';

export type Delivery = components['schemas']['Delivery'];

/** `again`: at least one attempt failed, and another will follow. */
type Standing = 'waiting' | 'again' | 'delivered' | 'failed';

const colors: Record<Standing, string> = {
  waiting: 'gray',
  again: 'orange',
  delivered: 'green',
  failed: 'red',
};

function standingOf({ Status, Attempts }: Delivery): Standing {
  if (Status === 'pending') return Attempts === 0 ? 'waiting' : 'again';
  return Status;
}

export function DeliveryBadge({ delivery }: { delivery: Delivery }) {
  const t = useTranslations('webhooks');
  const standing = standingOf(delivery);
  return (
    <Badge color={colors[standing]} miw="max-content">
      {t(`standings.${standing}`)}
    </Badge>
  );
}
