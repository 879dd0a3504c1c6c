import type { Language } from '../shell/intl.tsx';
import english from '../texts/en.learner.json' with { type: 'json' };

/** The texts of the learners' page. */
export const learnerTexts: Record<Language, () => Promise<typeof english>> = {
  en: async () => english,
  de: async () => (await import('../texts/de.learner.json')).default,
  fr: async () => (await import('../texts/fr.learner.json')).default,
};
