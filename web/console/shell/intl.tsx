import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { IntlProvider } from 'use-intl';
import english from '../texts/en.json' with { type: 'json' };

declare module 'use-intl' {
  interface AppConfig {
    Messages: typeof english;
  }
}

/** The languages of the console, each with its own name, and its catalogue of texts. */
export const languages = {
  en: { name: 'English', load: async () => english },
  de: { name: 'Deutsch', load: async () => (await import('../texts/de.json')).default },
  fr: { name: 'Français', load: async () => (await import('../texts/fr.json')).default },
} as const satisfies Record<string, { name: string; load: () => Promise<typeof english> }>;

export type Language = keyof typeof languages;

const isLanguage = (text: string): text is Language => Object.hasOwn(languages, text);
const languageOf = (tag: string) => tag.toLowerCase().split('-')[0] ?? '';
const remembered = 'lectern-language';

function preferred(): Language {
  const wished = [localStorage.getItem(remembered) ?? '', ...navigator.languages];
  return wished.map(languageOf).find(isLanguage) ?? 'en';
}

/** The viewer's own region writes dates and numbers, as far as it speaks the language that is shown. */
export function localeFor(language: Language, wished: readonly string[]): string {
  return wished.find((tag) => languageOf(tag) === language) ?? language;
}

type Chosen = { language: Language; choose: (language: Language) => void };
const LanguageContext = createContext<Chosen>({ language: 'en', choose: () => {} });
export const useLanguage = () => useContext(LanguageContext);

export function Texts({ children }: { children: ReactNode }) {
  const [wanted, setWanted] = useState(preferred);
  const [shown, setShown] = useState<{ language: Language; messages: typeof english } | null>(null);
  useEffect(() => {
    let current = true;
    languages[wanted].load().then((messages) => {
      if (current) setShown({ language: wanted, messages });
    });
    return () => {
      current = false;
    };
  }, [wanted]);
  useEffect(() => {
    if (shown) document.documentElement.lang = shown.language;
  }, [shown]);
  if (!shown) return null;
  const choose = (language: Language) => {
    localStorage.setItem(remembered, language);
    setWanted(language);
  };
  return (
    <LanguageContext value={{ language: shown.language, choose }}>
      <IntlProvider
        locale={localeFor(shown.language, navigator.languages)}
        messages={shown.messages}
        timeZone={Intl.DateTimeFormat().resolvedOptions().timeZone}
      >
        {children}
      </IntlProvider>
    </LanguageContext>
  );
}
