import { NativeSelect, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useFormState } from '../../parts/form-state.ts';
import type { Endpoint } from './health.tsx';
import { WebhookSecret, type WithSecret } from './secret.tsx';

const hour = 3_600;
const overlaps = [0, hour, 24 * hour, 72 * hour, 168 * hour] as const;
const defaultOverlap = String(24 * hour);

type Props = { endpoint: Endpoint; isOpen: boolean; onClose: () => void };

/**
 * Creates a new secret. Deliveries are signed with both secrets for a while, because the receiver needs time to switch.
 */
export function RotateDialog({ endpoint, isOpen, onClose }: Props) {
  const t = useTranslations('webhooks');
  const { $api } = useApi();
  const queries = useQueryClient();
  const rotate = $api.useMutation('post', '/webhook/{WebhookID}/rotate');
  const [seconds, setSeconds] = useFormState(isOpen, () => defaultOverlap);
  const [made, setMade] = useState<WithSecret | null>(null);
  const submit = async () => {
    const params = { path: { WebhookID: endpoint.WebhookID } };
    setMade(await rotate.mutateAsync({ params, body: { OverlapSeconds: Number(seconds) } }));
    void queries.invalidateQueries();
  };
  const overlapText = (overlap: number) => {
    if (overlap === 0) return t('noOverlap');
    const days = overlap / (24 * hour);
    return Number.isInteger(days) ? t('days', { count: days }) : t('hours', { count: overlap / hour });
  };
  return (
    <>
      <FormDialog
        title={t('rotateTitle')}
        isOpen={isOpen}
        onClose={onClose}
        submit={t('rotateSubmit')}
        onSubmit={submit}
      >
        <Text size="sm">{t('rotateText')}</Text>
        <NativeSelect
          label={t('overlap')}
          description={t(seconds === '0' ? 'noOverlapText' : 'overlapText')}
          value={seconds}
          onChange={(event) => setSeconds(event.currentTarget.value)}
          data={overlaps.map((overlap) => ({ value: String(overlap), label: overlapText(overlap) }))}
        />
      </FormDialog>
      <WebhookSecret made={made} onClose={() => setMade(null)} />
    </>
  );
}
