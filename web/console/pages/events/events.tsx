import { useTranslations } from 'use-intl';
import { Page } from '../../parts/page.tsx';

export default function Events() {
  const t = useTranslations('shell');
  return <Page title={t('pages.events')}>{null}</Page>;
}
