import { useTranslations } from 'use-intl';
import { Section } from '../../parts/section.tsx';
import { BrandingPanel } from './panel.tsx';

/** The branding of a tenant as a section of its page. */
export function TenantBranding({ tenantId, name }: { tenantId: string; name: string }) {
  const t = useTranslations('branding');
  return (
    <section aria-label={t('title')}>
      <Section title={t('title')} text={t('text')}>
        <BrandingPanel tenantId={tenantId} name={name} />
      </Section>
    </section>
  );
}
