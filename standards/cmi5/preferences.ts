const languageTag = /^[a-z]{1,8}(-[a-z0-9]{1,8})*$/i;

/** The maximum length. A learner lists a few languages, not thousands. */
const maxLength = 10_000;

/** Section 11: the learner's preferences are a JSON object with both properties. */
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
