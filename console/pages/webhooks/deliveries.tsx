import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { EventTypeFilter, isEventType } from '../../parts/event-type-filter.tsx';
import { FilterBar, PeriodFilter, SelectFilter, useFilters } from '../../parts/filters.tsx';
import { List } from '../../parts/list.tsx';
import { Message, NoneFound, WaitingRows } from '../../parts/states.tsx';
import { DeliveryDialog } from './delivery.tsx';
import { useDeliveryColumns } from './delivery-columns.tsx';
import type { Endpoint } from './health.tsx';
import { instantOf } from './local-time.ts';
import { ReplayButton } from './replay.tsx';
import { type DeliveryFilter, deliveryStatuses, useDeliveries } from './use-deliveries.ts';

const names = ['status', 'type', 'from', 'until', 'event'] as const;
const none = { status: undefined, type: undefined, from: undefined, until: undefined, event: undefined };

/** The delivery log: requests and responses. */
export function Deliveries({ endpoint }: { endpoint: Endpoint }) {
  const t = useTranslations('webhooks');
  const [filters, change] = useFilters(names);
  const wanted: DeliveryFilter = {
    status: deliveryStatuses.find((one) => one === filters.status),
    eventId: filters.event,
    type: isEventType(filters.type) ? filters.type : undefined,
    from: instantOf(filters.from),
    until: instantOf(filters.until),
  };
  const clear = Object.keys(filters).length > 0 ? () => change(none) : undefined;
  return (
    <Stack component="section" gap="md">
      <Group justify="space-between" align="flex-end" gap="sm">
        <Stack gap={4} flex="1 1 20rem">
          <Title order={2} size="h4">
            {t('deliveries')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('deliveriesText')}
          </Text>
        </Stack>
        <ReplayButton endpoint={endpoint} />
      </Group>
      <FilterBar count={[filters.type, filters.from, filters.until].filter(Boolean).length} onClear={clear}>
        <SelectFilter
          label={t('status')}
          value={filters.status}
          onChange={(status) => change({ status })}
          options={deliveryStatuses.map((value) => ({ value, label: t(`statuses.${value}`) }))}
        />
        <EventTypeFilter value={filters.type} onChange={(type) => change({ type })} />
        <PeriodFilter labels={{ from: t('from'), until: t('until') }} values={filters} onChange={change} />
      </FilterBar>
      {filters.event && (
        <Alert color="gray" variant="light">
          <Text size="sm" className="break">
            {t('ofEvent', { id: filters.event })}
          </Text>
        </Alert>
      )}
      <Log key={JSON.stringify(wanted)} endpoint={endpoint} wanted={wanted} onClear={clear} />
    </Stack>
  );
}

type LogProps = { endpoint: Endpoint; wanted: DeliveryFilter; onClear: (() => void) | undefined };

function Log({ endpoint, wanted, onClear }: LogProps) {
  const t = useTranslations('webhooks');
  const [opened, setOpened] = useState<string | null>(null);
  const columns = useDeliveryColumns(endpoint, setOpened);
  const { list, shown, isSearchingFirst, searchFurther, searchedRows } = useDeliveries(endpoint, wanted);
  if (isSearchingFirst) return <WaitingRows />;
  return (
    <>
      <List
        label={t('deliveries')}
        query={list}
        columns={columns}
        rowKey={({ DeliveryID }) => DeliveryID}
        empty={
          onClear ? (
            <NoneFound
              title={t('noneFoundTitle')}
              text={searchFurther ? t('noneFoundYet', { count: searchedRows }) : t('noneFoundText')}
              onShowAll={onClear}
            >
              {searchFurther && <Button onClick={searchFurther}>{t('searchFurther')}</Button>}
            </NoneFound>
          ) : (
            <Message title={t('noneTitle')} text={t('noneText')} />
          )
        }
      />
      <DeliveryDialog
        endpoint={endpoint}
        delivery={shown.find(({ DeliveryID }) => DeliveryID === opened) ?? null}
        onClose={() => setOpened(null)}
      />
    </>
  );
}
