import { useTranslations } from 'use-intl';
import { type Failure, signedOutCodes } from '../api/problem.ts';

/** The service also tells programs which operation to call, which is no help to people. */
export const withoutCalls = (detail: string) =>
  detail
    .split(/(?<=[.!?])\s+/)
    .filter((sentence) => !/\b(?:GET|POST|PUT|PATCH|DELETE) \//.test(sentence))
    .join(' ');

/** The text in the viewer's language if the code has a translation, otherwise the service's text in English. */
export function useFailureText({ code, title, detail }: Failure): { title: string; detail: string } {
  const t = useTranslations('failures');
  if (signedOutCodes.includes(code)) return { title: t('signedOut'), detail: t('signedOutText') };
  const known = code as Parameters<typeof t.has>[0];
  return {
    title: t.has(known) ? t(known) : title || t('unknown'),
    detail: code === 'unreachable' ? t('unreachableText') : withoutCalls(detail),
  };
}
