import { useTranslations } from 'use-intl';
import { useDurationWords } from '../courses/duration-words.ts';

export function useDurationText(): (iso: string | null) => string {
  const t = useTranslations('enrolments');
  const words = useDurationWords();
  return (iso) => (iso === null ? t('options.unlimitedTime') : words(iso));
}
