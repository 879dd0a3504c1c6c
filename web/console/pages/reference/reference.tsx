import { useTranslations } from 'use-intl';
import { Page } from '../../parts/page.tsx';

export default function Reference() {
  const t = useTranslations('shell');
  return <Page title={t('pages.reference')}>{null}</Page>;
}
