import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useAct } from '../../parts/act.tsx';
import { Json } from '../../parts/json.tsx';
import { FailedAct } from '../../parts/states.tsx';
import type { Delivery } from './delivery-status.tsx';
import type { Endpoint } from './health.tsx';

/** Whether the endpoint answers, now. */
export function PingButton({ endpoint }: { endpoint: Endpoint }) {
  const t = useTranslations('webhooks');
  const { $api } = useApi();
  const queries = useQueryClient();
  const ping = $api.useMutation('post', '/webhook/{WebhookID}/ping');
  const [result, setResult] = useState<Delivery | null>(null);
  const pinging = useAct(async () => {
    setResult(null);
    setResult(await ping.mutateAsync({ params: { path: { WebhookID: endpoint.WebhookID } } }));
    await queries.invalidateQueries();
  });
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <Button variant="light" loading={pinging.isRunning} onClick={() => pinging.run()}>
          {t('ping')}
        </Button>
        <Text size="sm" c="dimmed">
          {t('pingText')}
        </Text>
      </Group>
      <FailedAct error={pinging.error} />
      <div aria-live="polite">{result && <PingResult delivery={result} />}</div>
    </Stack>
  );
}

function PingResult({ delivery }: { delivery: Delivery }) {
  const t = useTranslations('webhooks');
  const isWell = delivery.Status === 'delivered';
  const { Answer, Milliseconds } = delivery;
  const Icon = isWell ? IconCheck : IconX;
  return (
    <Alert
      color={isWell ? 'green' : 'red'}
      variant="light"
      icon={<Icon size={18} aria-hidden />}
      title={t(isWell ? 'pingWell' : 'pingFailed')}
    >
      <Stack gap="xs">
        <Text size="sm">
          {Answer
            ? t('answered', { status: String(Answer.Status), milliseconds: Milliseconds ?? 0 })
            : t('noAnswer', { milliseconds: Milliseconds ?? 0 })}
        </Text>
        {delivery.Error && <Text size="sm">{delivery.Error}</Text>}
        {Answer?.Body && <Json value={Answer.Body} label={t('answerBody')} />}
      </Stack>
    </Alert>
  );
}
