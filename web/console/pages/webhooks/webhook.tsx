import { Button, Group, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { ConfirmButton, told, useAct } from '../../parts/act.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Page } from '../../parts/page.tsx';
import { Failed, FailedAct, Waiting } from '../../parts/states.tsx';
import { Copyable, Fact, Facts, Instant } from '../../parts/values.tsx';
import { Deliveries } from './deliveries.tsx';
import { bodyOf, EndpointFields, typedOf } from './endpoint-form.tsx';
import { type Endpoint, HealthBadge, HealthNotice } from './health.tsx';
import { PingButton } from './ping.tsx';
import { ReplayButton } from './replay.tsx';
import { RotateButton } from './rotate.tsx';

export default function Webhook() {
  const t = useTranslations('webhooks');
  const { $api } = useApi();
  const { webhookId = '' } = useParams({ strict: false });
  const path = { WebhookID: webhookId };
  const { data, error, refetch } = $api.useQuery(
    'get',
    '/webhook/{WebhookID}',
    { params: { path } },
    { refetchInterval: 10_000 },
  );
  if (data) return <EndpointPage endpoint={data} />;
  return (
    <Page title={t('title')} back={{ to: '/console/webhooks', text: t('title') }}>
      {error ? <Failed error={error} onRetry={refetch} /> : <Waiting />}
    </Page>
  );
}

function EndpointPage({ endpoint }: { endpoint: Endpoint }) {
  const t = useTranslations('webhooks');
  const { Types } = endpoint;
  return (
    <Page
      title={endpoint.URL}
      back={{ to: '/console/webhooks', text: t('title') }}
      badge={<HealthBadge endpoint={endpoint} />}
      text={endpoint.Description ?? undefined}
      actions={<SwitchButton endpoint={endpoint} />}
    >
      <HealthNotice endpoint={endpoint} />
      <PingButton endpoint={endpoint} />
      <Facts>
        <Fact label={t('types')}>{Types === null ? t('all') : Types.join(', ')}</Fact>
        <Fact label={t('failingSince')}>
          <Instant at={endpoint.FailingSince} none={t('notFailing')} />
        </Fact>
        <Fact label={t('created')}>
          <Instant at={endpoint.CreatedAt} />
        </Fact>
        <Fact label={t('changed')}>
          <Instant at={endpoint.UpdatedAt} />
        </Fact>
        <Fact label={t('id')}>
          <Copyable value={endpoint.WebhookID} label={t('id')} />
        </Fact>
      </Facts>
      <Group gap="sm">
        <EditButton endpoint={endpoint} />
        <RotateButton endpoint={endpoint} />
        <ReplayButton endpoint={endpoint} />
        <DeleteButton endpoint={endpoint} />
      </Group>
      <Deliveries endpoint={endpoint} />
    </Page>
  );
}

/** Enabling gives something back and needs no question; disabling asks. */
function SwitchButton({ endpoint }: { endpoint: Endpoint }) {
  const t = useTranslations('webhooks');
  const { $api } = useApi();
  const queries = useQueryClient();
  const update = $api.useMutation('put', '/webhook/{WebhookID}');
  const set = async (Status: Endpoint['Status']) => {
    await update.mutateAsync({ params: { path: { WebhookID: endpoint.WebhookID } }, body: { Status } });
    await queries.invalidateQueries();
    told(t(Status === 'enabled' ? 'isEnabled' : 'isDisabled'));
  };
  const enabling = useAct(() => set('enabled'));
  if (endpoint.Status === 'enabled')
    return (
      <ConfirmButton
        text={t('disable')}
        title={t('disableTitle')}
        question={t('disableText')}
        confirm={t('disable')}
        act={() => set('disabled')}
      />
    );
  return (
    <>
      <FailedAct error={enabling.error} />
      <Button loading={enabling.isRunning} onClick={() => enabling.run()}>
        {t('enable')}
      </Button>
    </>
  );
}

function EditButton({ endpoint }: { endpoint: Endpoint }) {
  const t = useTranslations('webhooks');
  const { $api } = useApi();
  const queries = useQueryClient();
  const update = $api.useMutation('put', '/webhook/{WebhookID}');
  const [typed, setTyped] = useState(() => typedOf(endpoint));
  const [isOpen, setOpen] = useState(false);
  const open = () => {
    setTyped(typedOf(endpoint));
    setOpen(true);
  };
  const submit = async () => {
    const params = { path: { WebhookID: endpoint.WebhookID } };
    await update.mutateAsync({ params, body: bodyOf(typed) });
    await queries.invalidateQueries();
    told(t('saved'));
  };
  return (
    <>
      <Button variant="default" onClick={open}>
        {t('edit')}
      </Button>
      <FormDialog
        title={t('editTitle')}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={t('save')}
        onSubmit={submit}
        size="lg"
      >
        <EndpointFields typed={typed} onChange={setTyped} />
      </FormDialog>
    </>
  );
}

function DeleteButton({ endpoint }: { endpoint: Endpoint }) {
  const t = useTranslations('webhooks');
  const { $api } = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const remove = $api.useMutation('delete', '/webhook/{WebhookID}');
  return (
    <ConfirmButton
      text={t('delete')}
      title={t('deleteTitle')}
      question={<Text>{t('deleteText', { url: endpoint.URL })}</Text>}
      confirm={t('delete')}
      isDangerous
      button={{ color: 'red', variant: 'subtle' }}
      act={async () => {
        await remove.mutateAsync({ params: { path: { WebhookID: endpoint.WebhookID } } });
        await navigate({ to: '/console/webhooks' });
        await queries.invalidateQueries();
        told(t('deleted'));
      }}
    />
  );
}
