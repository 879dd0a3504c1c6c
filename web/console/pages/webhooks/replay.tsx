import { Button, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { told } from '../../parts/act.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import type { Endpoint } from './health.tsx';

const two = (part: number) => String(part).padStart(2, '0');

/** An instant where the viewer is, as fields for date and time write it. */
const local = (at: Date) =>
  `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;

const toInstant = (text: string) => new Date(text).toISOString();

/** Sends one event again; what comes of it is in the delivery log. */
export function useReplay(endpoint: Endpoint) {
  const t = useTranslations('webhooks');
  const { $api } = useApi();
  const queries = useQueryClient();
  const replay = $api.useMutation('post', '/webhook/{WebhookID}/replay');
  return async (body: { EventIDs: string[] } | { From: string; Until?: string }) => {
    const params = { path: { WebhookID: endpoint.WebhookID } };
    const { Deliveries } = await replay.mutateAsync({ params, body });
    await queries.invalidateQueries();
    told(t('replayed', { count: Deliveries }));
  };
}

/** All that happened in a span of time, once more. */
export function ReplayButton({ endpoint }: { endpoint: Endpoint }) {
  const t = useTranslations('webhooks');
  const replay = useReplay(endpoint);
  const [isOpen, setOpen] = useState(false);
  const [span, setSpan] = useState({ from: '', until: '' });
  const open = () => {
    const day = 86_400_000;
    const since = endpoint.FailingSince ? new Date(endpoint.FailingSince) : new Date(Date.now() - day);
    setSpan({ from: local(since), until: '' });
    setOpen(true);
  };
  const submit = () =>
    replay({ From: toInstant(span.from), ...(span.until ? { Until: toInstant(span.until) } : {}) });
  return (
    <>
      <Button variant="default" onClick={open}>
        {t('replay')}
      </Button>
      <FormDialog
        title={t('replayTitle')}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        submit={t('replaySubmit')}
        onSubmit={submit}
      >
        <Text size="sm">{t('replayText')}</Text>
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          <TextInput
            type="datetime-local"
            label={t('from')}
            required
            value={span.from}
            onChange={(event) => setSpan({ ...span, from: event.currentTarget.value })}
          />
          <TextInput
            type="datetime-local"
            label={t('until')}
            description={t('untilText')}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            value={span.until}
            onChange={(event) => setSpan({ ...span, until: event.currentTarget.value })}
          />
        </SimpleGrid>
      </FormDialog>
    </>
  );
}
