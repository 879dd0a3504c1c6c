import { useLocale } from 'use-intl';

/** The name of a BCP 47 tag in the viewer's language; the tag itself if it is unknown. */
export function useLanguageName(): (tag: string) => string {
  const locale = useLocale();
  return (tag) => {
    try {
      return new Intl.DisplayNames(locale, { type: 'language' }).of(tag) ?? tag;
    } catch {
      return tag;
    }
  };
}

export function LanguageName({ tag }: { tag: string | null }) {
  const nameOf = useLanguageName();
  return <>{tag === null ? '–' : nameOf(tag)}</>;
}
