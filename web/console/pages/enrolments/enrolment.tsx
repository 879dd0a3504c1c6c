import { useTranslations } from 'use-intl';
import { Page } from '../../parts/page.tsx';

export default function Enrolment() {
  const t = useTranslations('shell');
  return <Page title={t('pages.enrolments')}>{null}</Page>;
}
