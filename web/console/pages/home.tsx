import { useTranslations } from 'use-intl';
import { Page } from '../parts/page.tsx';

export default function Home() {
  const t = useTranslations('shell');
  return <Page title={t('pages.overview')}>{null}</Page>;
}
