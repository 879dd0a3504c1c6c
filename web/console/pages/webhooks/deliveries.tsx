import { Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { FilterBar, SelectFilter, useFilters } from '../../parts/filters.tsx';
import { type Column, List, paged } from '../../parts/list.tsx';
import { Message } from '../../parts/states.tsx';
import { Instant } from '../../parts/values.tsx';
import { DeliveryDialog, SendAgain } from './delivery.tsx';
import { type Delivery, DeliveryBadge } from './delivery-status.tsx';
import type { Endpoint } from './health.tsx';

const statuses = ['pending', 'delivered', 'failed'] as const satisfies readonly Delivery['Status'][];

function useColumns(endpoint: Endpoint, open: (deliveryId: string) => void): Column<Delivery>[] {
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
    { key: 'status', header: t('status'), cell: (delivery) => <DeliveryBadge delivery={delivery} /> },
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
    { key: 'next', header: t('next'), cell: ({ NextAttemptAt }) => <Instant at={NextAttemptAt} /> },
    {
      key: 'actions',
      header: t('actions'),
      isActions: true,
      align: 'end',
      cell: (delivery) => (
        <Group gap="xs" wrap="nowrap">
          <Button size="compact-sm" variant="subtle" onClick={() => open(delivery.DeliveryID)}>
            {t('show')}
          </Button>
          <SendAgain endpoint={endpoint} delivery={delivery} size="compact-sm" />
        </Group>
      ),
    },
  ];
}

/** The delivery log: what was sent, and what was answered. */
export function Deliveries({ endpoint }: { endpoint: Endpoint }) {
  const t = useTranslations('webhooks');
  const { $api } = useApi();
  const [filters, setFilters] = useFilters(['status'] as const);
  const [opened, setOpened] = useState<string | null>(null);
  const columns = useColumns(endpoint, setOpened);
  const status = statuses.find((one) => one === filters.status);
  const query = { Limit: 25, ...(status ? { Status: status } : {}) };
  const list = $api.useInfiniteQuery(
    'get',
    '/webhook/{WebhookID}/delivery',
    { params: { path: { WebhookID: endpoint.WebhookID }, query } },
    {
      ...paged,
      // What has been looked through is not read again and again.
      refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 2 ? false : 5_000),
    },
  );
  const shown = list.data?.pages.flatMap((page) => page?.Items ?? []) ?? [];
  return (
    <Stack component="section" aria-labelledby="deliveries" gap="md">
      <Stack gap={4}>
        <Title order={2} size="h4" id="deliveries">
          {t('deliveries')}
        </Title>
        <Text size="sm" c="dimmed">
          {t('deliveriesText')}
        </Text>
      </Stack>
      <FilterBar onClear={status && (() => setFilters({ status: undefined }))}>
        <SelectFilter
          label={t('status')}
          value={status}
          onChange={(value) => setFilters({ status: value })}
          options={statuses.map((value) => ({ value, label: t(`statuses.${value}`) }))}
        />
      </FilterBar>
      <List
        label={t('deliveries')}
        query={list}
        columns={columns}
        rowKey={({ DeliveryID }) => DeliveryID}
        empty={
          <Message
            title={t(status ? 'noneFoundTitle' : 'noneTitle')}
            text={t(status ? 'noneFoundText' : 'noneText')}
          />
        }
      />
      <DeliveryDialog
        endpoint={endpoint}
        delivery={shown.find(({ DeliveryID }) => DeliveryID === opened) ?? null}
        onClose={() => setOpened(null)}
      />
    </Stack>
  );
}
