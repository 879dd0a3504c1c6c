import { useTranslations } from 'use-intl';

/** The reason in the viewer's language if there is a translation. */
export function useReason(): (code: string) => string {
  const t = useTranslations('imports');
  return (code) => {
    const known = `reasons.${code}` as Parameters<typeof t.has>[0];
    return t.has(known) ? (t as (key: string) => string)(known) : code;
  };
}
