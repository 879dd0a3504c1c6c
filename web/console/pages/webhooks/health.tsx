import { Alert, Badge, List, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../../client/src/generated.ts';
import { Instant } from '../../parts/values.tsx';

export type Endpoint = components['schemas']['Webhook'];

type Health = 'well' | 'failing' | 'given-up' | 'off';

function healthOf({ Status, DisabledReason, FailingSince }: Endpoint): Health {
  if (Status === 'disabled') return DisabledReason === 'failing' ? 'given-up' : 'off';
  return FailingSince === null ? 'well' : 'failing';
}

const colors: Record<Health, string> = { well: 'green', failing: 'orange', 'given-up': 'red', off: 'gray' };

export function HealthBadge({ endpoint }: { endpoint: Endpoint }) {
  const t = useTranslations('webhooks');
  const health = healthOf(endpoint);
  return <Badge color={colors[health]}>{t(`health.${health}`)}</Badge>;
}

/** What is wrong with the endpoint, what happens by itself, and what is left to do. */
export function HealthNotice({ endpoint }: { endpoint: Endpoint }) {
  const t = useTranslations('webhooks');
  const health = healthOf(endpoint);
  if (health === 'well') return null;
  if (health === 'off')
    return (
      <Alert
        color="gray"
        variant="light"
        icon={<IconInfoCircle size={18} aria-hidden />}
        title={t('offTitle')}
      >
        {t('offText')}
      </Alert>
    );
  const kind = health === 'failing' ? 'failing' : 'givenUp';
  return (
    <Alert
      color={colors[health]}
      variant="light"
      icon={<IconAlertTriangle size={18} aria-hidden />}
      title={t.rich(`${kind}Title`, { since: () => <Instant at={endpoint.FailingSince} /> })}
    >
      <Stack gap="xs">
        <Text size="sm">{t(`${kind}Text`)}</Text>
        <List type="ordered" size="sm" spacing={4}>
          {(['1', '2', '3'] as const).map((step) => (
            <List.Item key={step}>{t(`${kind}Steps.${step}`)}</List.Item>
          ))}
        </List>
      </Stack>
    </Alert>
  );
}
