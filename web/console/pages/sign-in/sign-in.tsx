import { useTranslations } from 'use-intl';
import { Page } from '../../parts/page.tsx';

export function SignIn(_: { onSignedIn: () => void }) {
  const t = useTranslations('shell');
  return <Page title={t('pages.overview')}>{null}</Page>;
}
