import { Anchor, Button } from '@mantine/core';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useFormState } from '../../parts/form-state.ts';
import { type Column, List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { paged } from '../../parts/paged.ts';
import { Message } from '../../parts/states.tsx';
import { Instant, Note } from '../../parts/values.tsx';
import { EndpointFields, emptyForm, isSame, newBodyOf } from './endpoint-form.tsx';
import { type Endpoint, HealthCell } from './health.tsx';
import { WebhookSecret, type WithSecret } from './secret.tsx';
import './webhooks.css';

function useColumns(): Column<Endpoint>[] {
  const t = useTranslations('webhooks');
  return [
    {
      key: 'url',
      header: t('endpoint'),
      share: 60,
      cell: ({ WebhookID, URL, Description }) => (
        <>
          <Anchor
            className="break"
            inherit
            renderRoot={(props) => (
              <Link to="/console/webhooks/$webhookId" params={{ webhookId: WebhookID }} {...props} />
            )}
          >
            {URL}
          </Anchor>
          {Description && <Note>{Description}</Note>}
        </>
      ),
    },
    {
      key: 'health',
      onPhone: 'plain',
      header: t('status'),
      share: 30,
      cell: (endpoint) => <HealthCell endpoint={endpoint} />,
    },
    {
      key: 'types',
      header: t('types'),
      cell: ({ Kind, Types }) => {
        if (Kind !== 'events') return t(`contents.${Kind}`);
        return Types === null ? t('all') : t('countOfTypes', { count: Types.length });
      },
    },
    {
      key: 'created',
      header: t('created'),
      onPhone: 'hidden',
      cell: ({ CreatedAt }) => <Instant at={CreatedAt} isDay />,
    },
  ];
}

export default function Webhooks() {
  const t = useTranslations('webhooks');
  const { $api } = useApi();
  const [isOpen, setOpen] = useState(false);
  const columns = useColumns();
  const list = $api.useInfiniteQuery(
    'get',
    '/webhook',
    { params: { query: { Limit: 50 } } },
    { ...paged, refetchInterval: 10_000 },
  );
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen(true)}>
      {t('add')}
    </Button>
  );
  const isEmpty = list.data?.pages[0]?.Items.length === 0;
  return (
    <Page title={t('title')} text={t('text')} actions={isEmpty ? null : add}>
      <List
        label={t('title')}
        query={list}
        columns={columns}
        rowKey={({ WebhookID }) => WebhookID}
        empty={
          <Message
            icon={<IconWebhook size={36} stroke={1.5} aria-hidden />}
            title={t('emptyTitle')}
            text={t('emptyText')}
          >
            {add}
          </Message>
        }
      />
      <AddDialog isOpen={isOpen} onClose={() => setOpen(false)} />
    </Page>
  );
}

/** Creates an endpoint, shows its secret, and opens its page. */
function AddDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const t = useTranslations('webhooks');
  const { $api } = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const create = $api.useMutation('post', '/webhook');
  const [typed, setTyped] = useFormState(isOpen, () => emptyForm);
  const [made, setMade] = useState<WithSecret | null>(null);
  const submit = async () => {
    const endpoint = await create.mutateAsync({ body: newBodyOf(typed) });
    void queries.invalidateQueries();
    setMade(endpoint);
  };
  const open = ({ WebhookID }: Endpoint) =>
    void navigate({ to: '/console/webhooks/$webhookId', params: { webhookId: WebhookID } });
  const leave = () => {
    setMade(null);
    if (made) open(made);
  };
  return (
    <>
      <FormDialog
        title={t('addTitle')}
        isOpen={isOpen}
        onClose={onClose}
        submit={t('addSubmit')}
        onSubmit={submit}
        isDirty={!isSame(typed, emptyForm)}
        size="lg"
      >
        <EndpointFields typed={typed} onChange={setTyped} isNew />
      </FormDialog>
      <WebhookSecret made={made} onClose={leave} />
    </>
  );
}
