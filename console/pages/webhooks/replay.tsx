import { Button, SimpleGrid, Text, TextInput } from '@mantine/core';
import { IconRepeat } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useFormState } from '../../parts/form-state.ts';
import { FailedAction } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import type { Endpoint } from './health.tsx';
import { instantOf, local } from './local-time.ts';
import { maxCounted, useCount } from './use-count.ts';

type What = { EventIDs: string[] } | { From: string; Until?: string };

/** Sends events again; the results appear in the delivery log. */
export function useReplay({ WebhookID }: Endpoint) {
  const t = useTranslations('webhooks');
  const { $api } = useApi();
  const queries = useQueryClient();
  const replay = $api.useMutation('post', '/webhook/{WebhookID}/replay');
  return async (body: What) => {
    const { Deliveries } = await replay.mutateAsync({ params: { path: { WebhookID } }, body });
    await queries.invalidateQueries();
    notify(t('replayed', { count: Deliveries }));
  };
}

const day = 86_400_000;

/** The period since the first failure, or the last day if the endpoint is not failing. */
const defaultPeriod = ({ FailingSince }: Endpoint) => ({
  from: local(FailingSince === null ? new Date(Date.now() - day) : new Date(FailingSince)),
  until: '',
});

/** Sends all events from a period again. */
export function ReplayButton({ endpoint }: { endpoint: Endpoint }) {
  const t = useTranslations('webhooks');
  const replay = useReplay(endpoint);
  const [isOpen, setOpen] = useState(false);
  const [span, setSpan] = useFormState(isOpen, () => defaultPeriod(endpoint));
  const from = instantOf(span.from);
  const until = instantOf(span.until);
  const counting = useCount(endpoint, isOpen && from !== null ? { from, until } : null);
  const found = counting.data;
  const text = found?.isWhole ? t('replaySubmit', { count: found.count }) : t('replaySubmitMany');
  const countText =
    found &&
    (found.isWhole
      ? t('counted', { count: found.count })
      : t('countedSome', { count: found.count, read: maxCounted }));
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconRepeat size={16} aria-hidden />}
        onClick={() => setOpen(true)}
      >
        {t('replay')}
      </Button>
      <FormDialog
        title={t('replayTitle')}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        size="lg"
        submit={text}
        onSubmit={() => replay({ From: from ?? '', ...(until === null ? {} : { Until: until }) })}
        isBlocked={!found || (found.isWhole && found.count === 0)}
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
        <Text size="sm" fw={600} aria-live="polite">
          {counting.isFetching ? t('counting') : countText}
        </Text>
        <FailedAction error={counting.error} />
      </FormDialog>
    </>
  );
}
