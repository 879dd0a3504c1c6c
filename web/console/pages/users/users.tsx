import { useTranslations } from 'use-intl';
import { Page } from '../../parts/page.tsx';

export default function Users() {
  const t = useTranslations('shell');
  return <Page title={t('pages.users')}>{null}</Page>;
}
