import { Paper } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { Message } from '../../parts/states.tsx';

/** Shown if the page was opened without a selection, for example from a bookmark or after a change of tenant. */
export function NothingSelected() {
  const t = useTranslations('bulk.selection.nothing');
  return (
    <Paper withBorder>
      <Message title={t('title')} text={t('text')} />
    </Paper>
  );
}
