import { useTranslations } from 'use-intl';
import { Page } from '../../parts/page.tsx';

export default function Keys() {
  const t = useTranslations('shell');
  return <Page title={t('pages.keys')}>{null}</Page>;
}
