import { Modal, Stack } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { Json } from '../../parts/json.tsx';
import { Copyable, Fact, Facts, Instant } from '../../parts/values.tsx';
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
      <Facts>
        <Fact label={t('when')}>
          <Instant at={entry.At} />
        </Fact>
        <Fact label={t('who')}>
          <Actor entry={entry} />
        </Fact>
        <Fact label={t('target')}>
          <Target entry={entry} />
        </Fact>
        <Fact label={t('trail')}>
          {t('numberOf', { number: entry.Number, trail: entry.TenantID ?? t('deployment') })}
        </Fact>
        {entry.RequestID !== null && (
          <Fact label={t('request')}>
            <Copyable value={entry.RequestID} label={t('request')} />
          </Fact>
        )}
        <Fact label={t('hash')}>
          <Copyable value={entry.Hash} label={t('hash')} />
        </Fact>
      </Facts>
      <Json value={entry} label={t('json')} />
    </Stack>
  );
}
