import { Code, Group } from '@mantine/core';
import { useParams } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { Page } from '../../parts/page.tsx';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { Copyable, Instant, LabelledValue, LabelledValues } from '../../parts/values.tsx';
import { Deliveries } from './deliveries.tsx';
import { EditButton } from './edit.tsx';
import { EndpointMenu } from './endpoint-menu.tsx';
import { type Endpoint, HealthBadge } from './health.tsx';
import { HealthPanel } from './health-panel.tsx';
import './webhooks.css';

export default function Webhook() {
  const t = useTranslations('webhooks');
  const { $api } = useApi();
  const { webhookId } = useParams({ from: '/console/webhooks/$webhookId' });
  const { data, error, refetch } = $api.useQuery(
    'get',
    '/webhook/{WebhookID}',
    { params: { path: { WebhookID: webhookId } } },
    { refetchInterval: 5_000 },
  );
  if (data) return <EndpointPage key={data.WebhookID} endpoint={data} />;
  return (
    <Page title={t('endpoint')} back={{ to: '/console/webhooks', text: t('title') }}>
      {error ? <Failed error={error} onRetry={refetch} /> : <WaitingRows />}
    </Page>
  );
}

function EndpointPage({ endpoint }: { endpoint: Endpoint }) {
  const t = useTranslations('webhooks');
  const { Kind, Types, Username, TokenURL, Actor } = endpoint;
  return (
    <Page
      title={endpoint.URL}
      back={{ to: '/console/webhooks', text: t('title') }}
      badge={<HealthBadge endpoint={endpoint} />}
      text={endpoint.Description ?? undefined}
      actions={
        <>
          <EndpointMenu endpoint={endpoint} />
          <EditButton endpoint={endpoint} />
        </>
      }
    >
      <HealthPanel endpoint={endpoint} />
      <LabelledValues>
        {Kind !== 'events' && <LabelledValue label={t('kind')}>{t(`kinds.${Kind}`)}</LabelledValue>}
        <LabelledValue label={t(Kind === 'events' ? 'types' : 'sends')}>
          {Kind !== 'events' ? (
            t(`contents.${Kind}`)
          ) : Types === null ? (
            t('all')
          ) : (
            <Group gap={4}>
              {Types.map((type) => (
                <Code key={type}>{type}</Code>
              ))}
            </Group>
          )}
        </LabelledValue>
        {Username !== null && (
          <LabelledValue label={t(TokenURL ? 'clientId' : 'username')}>{Username}</LabelledValue>
        )}
        {TokenURL !== null && <LabelledValue label={t('tokenUrl')}>{TokenURL}</LabelledValue>}
        {Actor !== null && <LabelledValue label={t('actor')}>{t(`actors.${Actor}`)}</LabelledValue>}
        <LabelledValue label={t('created')}>
          <Instant at={endpoint.CreatedAt} />
        </LabelledValue>
        <LabelledValue label={t('changed')}>
          <Instant at={endpoint.UpdatedAt} />
        </LabelledValue>
        <LabelledValue label={t('id')}>
          <Copyable value={endpoint.WebhookID} label={t('id')} />
        </LabelledValue>
      </LabelledValues>
      <Deliveries endpoint={endpoint} />
    </Page>
  );
}
