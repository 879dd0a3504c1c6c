import { Box } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { Page } from '../../parts/page.tsx';
import { KeyList } from './key-list.tsx';
import { useNewKey } from './new-key.tsx';

/** The keys of the administrator's own tenant, or of the tenant that the operator has chosen in the menu. */
export default function ApiKeysPage() {
  const t = useTranslations('apiKeys');
  const { button, dialogs } = useNewKey();
  return (
    <Page title={t('title')} text={<Box maw={640}>{t('text')}</Box>} actions={button}>
      <KeyList />
      {dialogs}
    </Page>
  );
}
