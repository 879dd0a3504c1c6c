import { useTranslations } from 'use-intl';
import { Page } from '../../parts/page.tsx';

export default function Webhook() {
  const t = useTranslations('shell');
  return <Page title={t('pages.webhooks')}>{null}</Page>;
}
