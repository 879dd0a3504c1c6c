import type { CommitRejection, Session, SessionEnd } from './contract.ts';
import { english, englishPreview, englishReview, type Messages } from './messages/english.ts';
import { french, frenchPreview, frenchReview } from './messages/french.ts';
import { german, germanPreview, germanReview } from './messages/german.ts';

/**
 * The player's languages, which are the same as the console's. Each has texts for a course, and the texts that differ
 * in a preview or a review.
 */
export const catalogues = {
  en: { course: english, preview: englishPreview, review: englishReview },
  de: { course: german, preview: germanPreview, review: germanReview },
  fr: { course: french, preview: frenchPreview, review: frenchReview },
};
export type Language = keyof typeof catalogues;

/** The modes in which nothing is recorded. */
export type NonRecordingMode = Exclude<Session['Mode'], 'normal'>;

let mode: Session['Mode'] = 'normal';

export const isReview = (): boolean => mode === 'review';
export let language: Language = 'en';
export let messages: Messages = english;

/** The first wanted language (BCP 47 tags) that the player supports, or English if it supports none of them. */
export function languageFor(wanted: readonly string[]): Language {
  const tags = wanted.map((tag) => tag.toLowerCase().split('-')[0] ?? '');
  return tags.find((tag): tag is Language => Object.hasOwn(catalogues, tag)) ?? 'en';
}

/** Switches to the first wanted language that the player supports. */
export function setLanguage(wanted: readonly string[]): void {
  language = languageFor(wanted);
  const { course, ...others } = catalogues[language];
  messages = mode === 'normal' ? course : { ...course, ...others[mode] };
}

/** Switches to the texts for a mode in which nothing is recorded. */
export function useMessagesFor(unrecorded: NonRecordingMode): void {
  mode = unrecorded;
  setLanguage([language]);
}

/** Whether a code from the service means that a commit is rejected permanently. */
export function isFinalRejection(code: unknown): code is CommitRejection {
  return typeof code === 'string' && Object.hasOwn(english.rejections, code);
}

export function isSessionEnd(code: unknown): code is SessionEnd {
  return typeof code === 'string' && Object.hasOwn(english.ends, code);
}
