import { useTranslations } from 'use-intl';
import { Page } from '../../parts/page.tsx';

export default function Bulk() {
  const t = useTranslations('shell');
  return <Page title={t('pages.bulk')}>{null}</Page>;
}
