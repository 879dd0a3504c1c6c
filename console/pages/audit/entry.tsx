import { Modal, Stack } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { Json } from '../../parts/json.tsx';
import { Copyable, Instant, LabelledValue, LabelledValues } from '../../parts/values.tsx';
import type { AuditEntry } from './actions.ts';
import { Actor, Target } from './values.tsx';

type Props = { entry: AuditEntry | null; onClose: () => void };

/** Shows one complete entry. */
export function EntryDialog({ entry, onClose }: Props) {
  const t = useTranslations('audit');
  return (
    <Modal
      opened={entry !== null}
      onClose={onClose}
      title={entry ? t(`actions.${entry.Action}`) : ''}
      size="xl"
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      {entry && <Details entry={entry} />}
    </Modal>
  );
}

function Details({ entry }: { entry: AuditEntry }) {
  const t = useTranslations('audit');
  return (
    <Stack>
      <LabelledValues>
        <LabelledValue label={t('when')}>
          <Instant at={entry.At} />
        </LabelledValue>
        <LabelledValue label={t('who')}>
          <Actor entry={entry} />
        </LabelledValue>
        <LabelledValue label={t('target')}>
          <Target entry={entry} />
        </LabelledValue>
        <LabelledValue label={t('trail')}>
          {t('numberOf', { number: entry.Number, trail: entry.TenantID ?? t('deployment') })}
        </LabelledValue>
        {entry.RequestID !== null && (
          <LabelledValue label={t('request')}>
            <Copyable value={entry.RequestID} label={t('request')} />
          </LabelledValue>
        )}
        <LabelledValue label={t('hash')}>
          <Copyable value={entry.Hash} label={t('hash')} />
        </LabelledValue>
      </LabelledValues>
      <Json value={entry} label={t('json')} />
    </Stack>
  );
}
