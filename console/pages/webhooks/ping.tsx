import { Alert, Stack, Text } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useAction } from '../../parts/action.tsx';
import { Json } from '../../parts/json.tsx';
import type { Delivery } from './delivery-status.tsx';
import type { Endpoint } from './health.tsx';

/** Tests whether the endpoint responds now. */
export function usePing({ WebhookID }: Endpoint) {
  const { $api } = useApi();
  const queries = useQueryClient();
  const ping = $api.useMutation('post', '/webhook/{WebhookID}/ping');
  const [result, setResult] = useState<Delivery | null>(null);
  const pinging = useAction(async () => {
    setResult(null);
    setResult(await ping.mutateAsync({ params: { path: { WebhookID } } }));
    await queries.invalidateQueries();
  });
  return { result, ping: () => pinging.run(), isPinging: pinging.isRunning, pingError: pinging.error };
}

export function PingResult({ delivery }: { delivery: Delivery }) {
  const t = useTranslations('webhooks');
  const succeeded = delivery.Status === 'delivered';
  const { Answer, Milliseconds } = delivery;
  const Icon = succeeded ? IconCheck : IconX;
  return (
    <Alert
      color={succeeded ? 'green' : 'red'}
      variant="light"
      icon={<Icon size={18} aria-hidden />}
      title={t(succeeded ? 'pingWell' : 'pingFailed')}
    >
      <Stack gap="xs">
        <Text size="sm" className="break">
          {Answer
            ? t('answered', { status: String(Answer.Status), milliseconds: Milliseconds ?? 0 })
            : (delivery.Error ?? '')}
        </Text>
        {Answer?.Body && <Json value={Answer.Body} label={t('responseBody')} />}
      </Stack>
    </Alert>
  );
}
