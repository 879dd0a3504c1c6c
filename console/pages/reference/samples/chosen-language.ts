import { type LanguageId, languages } from './languages.ts';

const remembered = 'lectern-samples';

const isLanguageId = (text: string | null): text is LanguageId =>
  text !== null && Object.hasOwn(languages, text);

/** The language of the samples that the reader chose last in this browser. */
export function chosenLanguage(): LanguageId {
  const text = localStorage.getItem(remembered);
  return isLanguageId(text) ? text : 'curl';
}

export const rememberLanguage = (id: LanguageId) => localStorage.setItem(remembered, id);
