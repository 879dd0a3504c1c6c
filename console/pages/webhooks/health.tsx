import { Badge } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { Instant, Note } from '../../parts/values.tsx';

export type Endpoint = components['schemas']['Webhook'];
export type Health = 'enabled' | 'failing' | 'givenUp' | 'off';

export function healthOf({ Status, DisabledReason, FailingSince }: Endpoint): Health {
  if (Status === 'disabled') return DisabledReason === 'failing' ? 'givenUp' : 'off';
  return FailingSince === null ? 'enabled' : 'failing';
}

export const healthColors: Record<Health, string> = {
  enabled: 'green',
  failing: 'orange',
  givenUp: 'red',
  off: 'gray',
};

export function HealthBadge({ endpoint }: { endpoint: Endpoint }) {
  const t = useTranslations('webhooks');
  const health = healthOf(endpoint);
  return (
    <Badge color={healthColors[health]} miw="max-content">
      {t(`health.${health}`)}
    </Badge>
  );
}

/** The endpoint's health for a list, with the time at which failures began. */
export function HealthCell({ endpoint }: { endpoint: Endpoint }) {
  const t = useTranslations('webhooks');
  const { FailingSince } = endpoint;
  const health = healthOf(endpoint);
  return (
    <>
      <HealthBadge endpoint={endpoint} />
      {FailingSince !== null && health !== 'off' && (
        <Note>
          {health === 'givenUp'
            ? t('afterFailures')
            : t.rich('failsSince', { at: () => <Instant at={FailingSince} /> })}
        </Note>
      )}
    </>
  );
}
