import { useTranslations } from 'use-intl';
import { Message } from '../parts/states.tsx';

export function NotFound() {
  const t = useTranslations('shell');
  return <Message isPage title={t('notFoundTitle')} text={t('notFoundText')} />;
}
