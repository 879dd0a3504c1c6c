import type { CommitRejection, SessionEnd } from './contract.ts';
import { english, englishPreview, type Messages } from './messages/english.ts';
import { french, frenchPreview } from './messages/french.ts';
import { german, germanPreview } from './messages/german.ts';

/** The player's languages, which are the same as the console's. Each has texts for a course and for a preview. */
export const catalogues = {
  en: { course: english, preview: englishPreview },
  de: { course: german, preview: germanPreview },
  fr: { course: french, preview: frenchPreview },
};
export type Language = keyof typeof catalogues;

let isPreview = false;
export let language: Language = 'en';
export let messages: Messages = english;

/** The first wanted language (BCP 47 tags) that the player supports, or else English. */
export function languageFor(wanted: readonly string[]): Language {
  const tags = wanted.map((tag) => tag.toLowerCase().split('-')[0] ?? '');
  return tags.find((tag): tag is Language => Object.hasOwn(catalogues, tag)) ?? 'en';
}

/** Switches to the first wanted language that the player supports. */
export function setLanguage(wanted: readonly string[]): void {
  language = languageFor(wanted);
  const { course, preview } = catalogues[language];
  messages = isPreview ? { ...course, ...preview } : course;
}

/** Switches to the texts for a preview. */
export function selectPreviewMessages(): void {
  isPreview = true;
  setLanguage([language]);
}

/** Whether a code from the service means that a commit is rejected permanently. */
export function isFinalRejection(code: unknown): code is CommitRejection {
  return typeof code === 'string' && Object.hasOwn(english.rejections, code);
}

export function isSessionEnd(code: unknown): code is SessionEnd {
  return typeof code === 'string' && Object.hasOwn(english.ends, code);
}
