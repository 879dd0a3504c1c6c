import { Paper } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { Message } from '../../parts/states.tsx';

/** The page was opened without a selection, such as from a bookmark or after a change of the tenant. */
export function NothingSelected() {
  const t = useTranslations('bulk.selection.nothing');
  return (
    <Paper withBorder>
      <Message title={t('title')} text={t('text')} />
    </Paper>
  );
}
