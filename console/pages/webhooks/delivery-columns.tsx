import { Button, Code, Group, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { Column } from '../../parts/list.tsx';
import { Instant, Note } from '../../parts/values.tsx';
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
      share: 32,
      cell: ({ Type, Reason }) => (
        <>
          <Code>{Type}</Code>
          {Reason === 'replay' && <Note>{t('isReplay')}</Note>}
        </>
      ),
    },
    {
      key: 'status',
      header: t('status'),
      share: 34,
      cell: (delivery) => (
        <>
          <DeliveryBadge delivery={delivery} />
          {delivery.NextAttemptAt !== null && (
            <Note>{t.rich('nextAt', { at: () => <Instant at={delivery.NextAttemptAt} /> })}</Note>
          )}
        </>
      ),
    },
    {
      key: 'answer',
      header: t('answer'),
      share: 24,
      cell: ({ Answer, Error: error }) => (
        <Text size="sm" className="break" span>
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
        <Group gap="xs" justify="flex-end" wrap="nowrap">
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
