import { Button, Group, Paper, Stack, Text, ThemeIcon, Title } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCheck,
  IconHourglass,
  IconPlayerPause,
  IconPlugConnectedX,
} from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useAction } from '../../parts/action.tsx';
import { Json } from '../../parts/json.tsx';
import { FailedAction } from '../../parts/states.tsx';
import { Instant } from '../../parts/values.tsx';
import type { Delivery } from './delivery-status.tsx';
import { type Endpoint, healthOf } from './health.tsx';
import { PingResult, usePing } from './ping.tsx';
import { useStatus } from './use-status.ts';

type Shown = 'works' | 'ready' | 'lastFailed' | 'failing' | 'givenUp' | 'off';

const appearances: Record<Shown, { color: string; icon: typeof IconCheck }> = {
  works: { color: 'green', icon: IconCheck },
  ready: { color: 'gray', icon: IconHourglass },
  lastFailed: { color: 'orange', icon: IconAlertTriangle },
  failing: { color: 'orange', icon: IconAlertTriangle },
  givenUp: { color: 'red', icon: IconPlugConnectedX },
  off: { color: 'gray', icon: IconPlayerPause },
};

/** The last attempt, if it is among the newest deliveries. */
function useLast({ WebhookID }: Endpoint): Delivery | null | undefined {
  const { $api } = useApi();
  const { data } = $api.useQuery(
    'get',
    '/webhook/{WebhookID}/delivery',
    { params: { path: { WebhookID }, query: { Limit: 50 } } },
    { refetchInterval: 5_000 },
  );
  if (!data) return undefined;
  const attempted = data.Items.filter(({ AttemptedAt }) => AttemptedAt !== null);
  const byTime = (a: Delivery, b: Delivery) => (b.AttemptedAt ?? '').localeCompare(a.AttemptedAt ?? '');
  return attempted.sort(byTime)[0] ?? null;
}

function shownOf(endpoint: Endpoint, last: Delivery | null | undefined): Shown {
  const health = healthOf(endpoint);
  if (health !== 'enabled') return health;
  if (!last) return 'ready';
  return last.Status === 'delivered' ? 'works' : 'lastFailed';
}

/** Shows whether the endpoint works, its last response, and what to do. */
export function HealthPanel({ endpoint }: { endpoint: Endpoint }) {
  const t = useTranslations('webhooks');
  const last = useLast(endpoint);
  const { result, ping, isPinging, pingError } = usePing(endpoint);
  const shown = shownOf(endpoint, last);
  const { color, icon: Icon } = appearances[shown];
  return (
    <Paper withBorder p="lg" className="health" data-health={shown} component="section">
      <Group gap="sm" wrap="nowrap" align="flex-start">
        <ThemeIcon color={color} variant="light" radius="xl" size="lg" aria-hidden>
          <Icon size={20} />
        </ThemeIcon>
        <Stack gap="md" miw={0} flex={1}>
          <Stack gap={4}>
            <Title order={2} size="h3" className="break">
              {t.rich(`${shown}Title`, { at: () => <Instant at={endpoint.FailingSince} /> })}
            </Title>
            <Text size="sm" c="dimmed" maw="70ch">
              {t(`${shown}Text`)}
            </Text>
            {last && <LastResponse delivery={last} />}
          </Stack>
          <Group gap="sm">
            <Remedy endpoint={endpoint} />
            <Button variant={shown === 'ready' ? 'filled' : 'default'} loading={isPinging} onClick={ping}>
              {t('ping')}
            </Button>
          </Group>
          <FailedAction error={pingError} />
          {result && <PingResult delivery={result} />}
        </Stack>
      </Group>
    </Paper>
  );
}

function LastResponse({ delivery }: { delivery: Delivery }) {
  const t = useTranslations('webhooks');
  const { AttemptedAt, Answer, Error: error, Status, Type } = delivery;
  const values = { at: () => <Instant at={AttemptedAt} />, type: Type };
  return (
    <>
      <Text size="sm" className="break" mt={4}>
        {Answer
          ? t.rich('lastResponse', { ...values, status: String(Answer.Status) })
          : t.rich('lastError', { ...values, error: error ?? '' })}
      </Text>
      {Status !== 'delivered' && Answer?.Body && <Json value={Answer.Body} label={t('responseBody')} />}
    </>
  );
}

/**
 * Enabling an endpoint retries pending deliveries immediately and restarts the 72-hour window.
 */
function Remedy({ endpoint }: { endpoint: Endpoint }) {
  const t = useTranslations('webhooks');
  const set = useStatus(endpoint);
  const enabling = useAction(() => set(['enabled'], 'isEnabled'));
  const trying = useAction(() => set(['disabled', 'enabled'], 'isTried'));
  const health = healthOf(endpoint);
  if (health === 'enabled') return null;
  const [cure, text] =
    health === 'failing' ? ([trying, t('tryNow')] as const) : ([enabling, t('enable')] as const);
  return (
    <>
      <Button loading={cure.isRunning} onClick={() => cure.run()}>
        {text}
      </Button>
      <FailedAction error={cure.error} />
    </>
  );
}
