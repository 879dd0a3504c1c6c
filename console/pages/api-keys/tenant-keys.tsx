import { useTranslations } from 'use-intl';
import { Section } from '../../parts/section.tsx';
import { KeyList } from './key-list.tsx';
import { useNewKey } from './new-key.tsx';

/** The keys of a tenant as a section of its page. */
export function TenantKeys({ tenantId }: { tenantId: string }) {
  const t = useTranslations('apiKeys');
  const { button, dialogs } = useNewKey(tenantId);
  return (
    <Section title={t('title')} text={t('text')} actions={button}>
      <KeyList tenantId={tenantId} />
      {dialogs}
    </Section>
  );
}
