import { useTranslations } from 'use-intl';
import { Page } from '../../parts/page.tsx';

export default function Courses() {
  const t = useTranslations('shell');
  return <Page title={t('pages.courses')}>{null}</Page>;
}
