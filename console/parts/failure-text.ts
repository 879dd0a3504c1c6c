import { useTranslations } from 'use-intl';
import type { Failure } from '../api/problem.ts';

/** In the viewer's language where the catalogue knows the code; else the service's own sentence, which is English. */
export function useFailureText({ code, title, detail }: Failure): { title: string; detail: string } {
  const t = useTranslations('failures');
  const known = code as Parameters<typeof t.has>[0];
  return {
    title: t.has(known) ? t(known) : title || t('unknown'),
    detail: code === 'unreachable' ? t('unreachableText') : detail,
  };
}
