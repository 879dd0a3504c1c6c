import { Anchor, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { Failed } from '../../parts/states.tsx';
import { DeliveryBadge } from '../webhooks/delivery-status.tsx';
import type { Endpoint } from '../webhooks/health.tsx';

/** The event's delivery status per endpoint; shown only if there are endpoints. */
export function SentTo({ eventId }: { eventId: string }) {
  const t = useTranslations('events');
  const { $api } = useApi();
  const { data, error } = $api.useQuery('get', '/webhook', { params: { query: { Limit: 200 } } });
  if (error) return <Failed error={error} />;
  if (!data || data.Items.length === 0) return null;
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {t('sentTo')}
      </Title>
      {data.Items.map((endpoint) => (
        <SentToOne key={endpoint.WebhookID} endpoint={endpoint} eventId={eventId} />
      ))}
    </Stack>
  );
}

/** Shows only the newest delivery, because a replay supersedes earlier ones. */
function SentToOne({ endpoint, eventId }: { endpoint: Endpoint; eventId: string }) {
  const t = useTranslations('events');
  const { $api } = useApi();
  const { WebhookID, URL } = endpoint;
  const { data } = $api.useQuery('get', '/webhook/{WebhookID}/delivery', {
    params: { path: { WebhookID }, query: { EventID: eventId, Limit: 1 } },
  });
  const newest = data?.Items[0];
  return (
    <Group gap="sm" justify="space-between" align="flex-start" wrap="nowrap">
      <Anchor
        size="sm"
        className="break"
        renderRoot={(props) => (
          <Link
            to="/console/webhooks/$webhookId"
            params={{ webhookId: WebhookID }}
            search={newest ? ({ event: eventId } as never) : {}}
            {...props}
          />
        )}
      >
        {URL}
      </Anchor>
      {newest ? (
        <DeliveryBadge delivery={newest} />
      ) : (
        data && (
          <Text size="sm" c="dimmed" flex="none">
            {t('notSent')}
          </Text>
        )
      )}
    </Group>
  );
}
