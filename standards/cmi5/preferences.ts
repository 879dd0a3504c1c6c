const languageTag = /^[a-z]{1,8}(-[a-z0-9]{1,8})*$/i;

/** There are a few thousand languages and dialects, and nobody prefers all of them. */
const maxLength = 10_000;

/** Section 11: the learner's preferences are a JSON object with both members. */
export function isPreferences(contentType: string | undefined, text: string | undefined): boolean {
  if ((text?.length ?? 0) > maxLength) return false;
  if (!/^application\/json(;|$)/i.test(contentType?.trim() ?? '')) return false;
  try {
    const { languagePreference, audioPreference } = JSON.parse(text ?? '') ?? {};
    const languages = typeof languagePreference === 'string' ? languagePreference.split(',') : [''];
    return languages.every((tag) => languageTag.test(tag.trim())) && ['on', 'off'].includes(audioPreference);
  } catch {
    return false;
  }
}
