import { Button, Code, Group, Stack, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { Column } from '../../parts/list.tsx';
import { Instant } from '../../parts/values.tsx';
import { SendAgain } from './delivery.tsx';
import { type Delivery, DeliveryBadge } from './delivery-status.tsx';
import type { Endpoint } from './health.tsx';

export function useDeliveryColumns(
  endpoint: Endpoint,
  open: (deliveryId: string) => void,
): Column<Delivery>[] {
  const t = useTranslations('webhooks');
  return [
    {
      key: 'event',
      header: t('event'),
      cell: ({ Type, Reason }) => (
        <Stack gap={2} align="flex-start">
          <Code>{Type}</Code>
          {Reason === 'replay' && (
            <Text size="xs" c="dimmed" fw={400}>
              {t('isReplay')}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      key: 'status',
      header: t('status'),
      cell: (delivery) => (
        <Stack gap={2} align="flex-start">
          <DeliveryBadge delivery={delivery} />
          {delivery.NextAttemptAt !== null && (
            <Text size="xs" c="dimmed">
              {t.rich('nextAt', { at: () => <Instant at={delivery.NextAttemptAt} /> })}
            </Text>
          )}
        </Stack>
      ),
    },
    {
      key: 'answer',
      header: t('answer'),
      cell: ({ Answer, Error: error }) => (
        <Text size="sm" className="break">
          {Answer ? t('httpStatus', { status: String(Answer.Status) }) : (error ?? '–')}
        </Text>
      ),
    },
    { key: 'attempts', header: t('attempts'), cell: ({ Attempts }) => Attempts },
    { key: 'at', header: t('attempted'), cell: ({ AttemptedAt }) => <Instant at={AttemptedAt} /> },
    {
      key: 'actions',
      header: t('actions'),
      isActions: true,
      align: 'end',
      cell: (delivery) => (
        <Group gap="xs" justify="flex-end">
          {delivery.Status === 'failed' && (
            <SendAgain endpoint={endpoint} delivery={delivery} size="compact-sm" />
          )}
          <Button size="compact-sm" variant="default" onClick={() => open(delivery.DeliveryID)}>
            {t('show')}
          </Button>
        </Group>
      ),
    },
  ];
}
