import { useTranslations } from 'use-intl';
import { Page } from '../../parts/page.tsx';

export default function Tenant() {
  const t = useTranslations('shell');
  return <Page title={t('pages.tenants')}>{null}</Page>;
}
