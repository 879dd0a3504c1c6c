import { useTranslations } from 'use-intl';
import { Page } from '../../parts/page.tsx';

export default function Tenants() {
  const t = useTranslations('shell');
  return <Page title={t('pages.tenants')}>{null}</Page>;
}
