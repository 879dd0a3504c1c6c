import { createContext, type ReactNode, use, useContext, useEffect, useState } from 'react';
import { IntlProvider } from 'use-intl';
import english from '../texts/en.json' with { type: 'json' };
import type englishLearner from '../texts/en.learner.json';
import type englishPages from '../texts/en.pages.json';
import { initialBranding, useBranding } from './branding.tsx';

type First = typeof english;
type Pages = typeof englishPages;
type Learner = typeof englishLearner;

declare module 'use-intl' {
  interface AppConfig {
    Messages: First & Pages & Learner;
  }
}

/**
 * The console's languages, each with its own name and its texts: those for the first screen, and those for the other
 * pages.
 */
export const languages = {
  en: {
    name: 'English',
    first: async () => english,
    pages: async () => (await import('../texts/en.pages.json')).default,
  },
  de: {
    name: 'Deutsch',
    first: async () => (await import('../texts/de.json')).default,
    pages: async () => (await import('../texts/de.pages.json')).default,
  },
  fr: {
    name: 'Français',
    first: async () => (await import('../texts/fr.json')).default,
    pages: async () => (await import('../texts/fr.pages.json')).default,
  },
} as const satisfies Record<
  string,
  { name: string; first: () => Promise<First>; pages: () => Promise<Pages> }
>;

export type Language = keyof typeof languages;

const isLanguage = (text: string): text is Language => Object.hasOwn(languages, text);
const languageOf = (tag: string) => tag.toLowerCase().split('-')[0] ?? '';
const remembered = 'lectern-language';

/** The language that the user chose, or else that of the tenant, or else that of the browser. */
function preferred(tenants: string | null | undefined): Language {
  const preferredTag = [localStorage.getItem(remembered) ?? '', tenants ?? '', ...navigator.languages];
  return preferredTag.map(languageOf).find(isLanguage) ?? 'en';
}

/** Dates and numbers follow the viewer's region if it matches the displayed language. */
export function localeFor(language: Language, preferredTag: readonly string[]): string {
  return preferredTag.find((tag) => languageOf(tag) === language) ?? language;
}

type Chosen = { language: Language; messages: First; choose: (language: Language) => void };
const LanguageContext = createContext<Chosen>({ language: 'en', messages: english, choose: () => {} });
export const useLanguage = () => useContext(LanguageContext);

type TextsProps = { more?: Record<Language, () => Promise<Learner>>; children: ReactNode };

/** `more` are further texts of the first screen. */
export function Texts({ more, children }: TextsProps) {
  const { branding } = useBranding();
  const [chosen, setChosen] = useState<Language | null>(null);
  const wanted = chosen ?? preferred(branding?.Language);
  const [shown, setShown] = useState<{ language: Language; messages: First } | null>(null);
  useEffect(() => {
    let current = true;
    Promise.all([languages[wanted].first(), more?.[wanted]()]).then(([first, further]) => {
      if (current) setShown({ language: wanted, messages: { ...first, ...further } });
    });
    return () => {
      current = false;
    };
  }, [wanted, more]);
  useEffect(() => {
    if (shown) document.documentElement.lang = shown.language;
  }, [shown]);
  if (!shown) return null;
  const choose = (language: Language) => {
    localStorage.setItem(remembered, language);
    setChosen(language);
  };
  return (
    <LanguageContext value={{ ...shown, choose }}>
      <Spoken language={shown.language} messages={shown.messages}>
        {children}
      </Spoken>
    </LanguageContext>
  );
}

type SpokenProps = { language: Language; messages: First | (First & Pages); children: ReactNode };

function Spoken({ language, messages, children }: SpokenProps) {
  return (
    <IntlProvider
      locale={localeFor(language, navigator.languages)}
      messages={messages}
      timeZone={Intl.DateTimeFormat().resolvedOptions().timeZone}
    >
      {children}
    </IntlProvider>
  );
}

const loaded = new Map<Language, Promise<Pages>>();

function pagesIn(language: Language): Promise<Pages> {
  const loading = loaded.get(language) ?? languages[language].pages();
  loaded.set(language, loading);
  // If loading fails, the next page tries again.
  loading.catch(() => loaded.delete(language));
  return loading;
}

/** Loads the texts together with a page's code. */
export const preloadPageTexts = (): Promise<Pages> => pagesIn(preferred(initialBranding()?.Language));

/** The texts for all pages except the first. */
export function PageTexts({ children }: { children: ReactNode }) {
  const { language, messages } = useLanguage();
  return (
    <Spoken language={language} messages={{ ...messages, ...use(pagesIn(language)) }}>
      {children}
    </Spoken>
  );
}
