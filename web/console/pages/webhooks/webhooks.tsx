import { Anchor, Button, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { type Column, List, paged } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Message } from '../../parts/states.tsx';
import { Instant } from '../../parts/values.tsx';
import { bodyOf, EndpointFields, nothingTyped } from './endpoint-form.tsx';
import { type Endpoint, HealthBadge } from './health.tsx';
import { SecretDialog, type WithSecret } from './secret.tsx';

function useColumns(): Column<Endpoint>[] {
  const t = useTranslations('webhooks');
  return [
    {
      key: 'url',
      header: t('endpoint'),
      cell: ({ WebhookID, URL, Description }) => (
        <Stack gap={2}>
          <Anchor
            className="break"
            renderRoot={(props) => (
              <Link to="/console/webhooks/$webhookId" params={{ webhookId: WebhookID }} {...props} />
            )}
          >
            {URL}
          </Anchor>
          {Description && (
            <Text size="sm" c="dimmed" className="break" fw={400}>
              {Description}
            </Text>
          )}
        </Stack>
      ),
    },
    { key: 'health', header: t('status'), cell: (endpoint) => <HealthBadge endpoint={endpoint} /> },
    {
      key: 'since',
      header: t('failingSince'),
      cell: ({ FailingSince }) => <Instant at={FailingSince} />,
    },
    {
      key: 'types',
      header: t('types'),
      cell: ({ Types }) => (Types === null ? t('all') : t('countOfTypes', { count: Types.length })),
    },
    { key: 'created', header: t('created'), cell: ({ CreatedAt }) => <Instant at={CreatedAt} /> },
  ];
}

export default function Webhooks() {
  const t = useTranslations('webhooks');
  const { $api } = useApi();
  const [isOpen, setOpen] = useState(false);
  const columns = useColumns();
  const list = $api.useInfiniteQuery('get', '/webhook', { params: { query: { Limit: 50 } } }, paged);
  const add = <Button onClick={() => setOpen(true)}>{t('add')}</Button>;
  const isEmpty = list.data?.pages[0]?.Items.length === 0;
  return (
    <Page title={t('title')} text={t('text')} actions={isEmpty ? null : add}>
      <List
        label={t('title')}
        query={list}
        columns={columns}
        rowKey={({ WebhookID }) => WebhookID}
        empty={
          <Message title={t('emptyTitle')} text={t('emptyText')}>
            {add}
          </Message>
        }
      />
      <AddDialog isOpen={isOpen} onClose={() => setOpen(false)} />
    </Page>
  );
}

/** Makes an endpoint, shows its secret, and leads to its page. */
function AddDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const t = useTranslations('webhooks');
  const { $api } = useApi();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const create = $api.useMutation('post', '/webhook');
  const [typed, setTyped] = useState(nothingTyped);
  const [made, setMade] = useState<WithSecret | null>(null);
  const close = () => {
    setTyped(nothingTyped);
    onClose();
  };
  const submit = async () => {
    setMade(await create.mutateAsync({ body: bodyOf(typed) }));
    void queries.invalidateQueries();
  };
  const leave = () => {
    const webhookId = made?.WebhookID;
    setMade(null);
    if (webhookId) void navigate({ to: '/console/webhooks/$webhookId', params: { webhookId } });
  };
  return (
    <>
      <FormDialog
        title={t('addTitle')}
        isOpen={isOpen}
        onClose={close}
        submit={t('addSubmit')}
        onSubmit={submit}
        size="lg"
      >
        <EndpointFields typed={typed} onChange={setTyped} />
      </FormDialog>
      <SecretDialog made={made} onClose={leave} />
    </>
  );
}
