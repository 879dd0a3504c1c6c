import { Anchor, Badge, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { paged } from '../../parts/paged.ts';
import { Instant } from '../../parts/values.tsx';
import type { Enrolment } from './values.tsx';

type Delivery = components['schemas']['Delivery'];
type Webhook = components['schemas']['Webhook'];

const colors: Record<Delivery['Status'], string> = { pending: 'blue', delivered: 'green', failed: 'red' };

/** Whether the client's application was notified. Shown only if there are webhook endpoints. */
export function Deliveries({ enrolment }: { enrolment: Enrolment }) {
  const t = useTranslations('enrolments');
  const { $api } = useApi();
  const { data } = $api.useQuery('get', '/webhook', { params: { query: { Limit: 200 } } });
  if (!data || data.Items.length === 0) return null;
  return (
    <Stack gap="md" component="section" aria-labelledby="deliveries">
      <Title order={2} size="h4" id="deliveries">
        {t('deliveries.title')}
      </Title>
      {data.Items.map((webhook) => (
        <DeliveriesTo key={webhook.WebhookID} webhook={webhook} enrollId={enrolment.EnrollID} />
      ))}
    </Stack>
  );
}

function useColumns(): Column<Delivery>[] {
  const t = useTranslations('enrolments');
  return [
    { key: 'type', header: t('deliveries.event'), cell: ({ Type }) => Type },
    {
      key: 'status',
      header: t('status'),
      cell: ({ Status }) => <Badge color={colors[Status]}>{t(`deliveries.statuses.${Status}`)}</Badge>,
    },
    {
      key: 'answer',
      header: t('deliveries.answer'),
      cell: ({ Answer, Error: error }) => <span className="break">{Answer?.Status ?? error ?? '–'}</span>,
    },
    { key: 'attempts', header: t('deliveries.attempts'), cell: ({ Attempts }) => Attempts },
    {
      key: 'at',
      header: t('deliveries.at'),
      cell: ({ AttemptedAt }) => <Instant at={AttemptedAt} none={t('notYet')} />,
    },
  ];
}

function DeliveriesTo({ webhook, enrollId }: { webhook: Webhook; enrollId: string }) {
  const t = useTranslations('enrolments');
  const { $api } = useApi();
  const columns = useColumns();
  const { WebhookID, URL } = webhook;
  const list = $api.useInfiniteQuery(
    'get',
    '/webhook/{WebhookID}/delivery',
    { params: { path: { WebhookID }, query: { EnrollID: enrollId, Limit: 20 } } },
    paged,
  );
  return (
    <Stack gap="xs">
      <Anchor
        size="sm"
        className="break"
        renderRoot={(props) => (
          <Link to="/console/webhooks/$webhookId" params={{ webhookId: WebhookID }} {...props} />
        )}
      >
        {URL}
      </Anchor>
      <List
        label={t('deliveries.to', { address: URL })}
        query={list}
        columns={columns}
        rowKey={({ DeliveryID }) => DeliveryID}
        empty={
          <Text size="sm" c="dimmed" p="md">
            {t('deliveries.none')}
          </Text>
        }
      />
    </Stack>
  );
}
