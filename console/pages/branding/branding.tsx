import { Box } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { Page } from '../../parts/page.tsx';
import { BrandingPanel } from './panel.tsx';

/** The branding of the administrator's own tenant, or of the tenant that the operator has chosen in the menu. */
export default function BrandingPage() {
  const t = useTranslations('branding');
  const { tenant } = useApi();
  const { TenantName } = useSession();
  return (
    <Page title={t('title')} text={<Box maw={640}>{t('text')}</Box>}>
      <BrandingPanel tenantId={undefined} name={TenantName ?? tenant ?? ''} />
    </Page>
  );
}
