import { SegmentedControl, Switch, Textarea, TextInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { choiceOf } from '../../parts/choices.ts';
import type { Rule } from './record.ts';

const languages = ['en', 'de', 'fr'] as const;
export type Language = (typeof languages)[number];
type Texts = Pick<Rule, 'Title' | 'Text'>;
type Localized = Texts['Title'];

const all = (text: Localized) => (typeof text === 'string' ? { en: text, de: text, fr: text } : (text ?? {}));

const firstOf = (text: Localized) =>
  typeof text === 'object' && text !== null ? (text.en ?? Object.values(text)[0] ?? null) : text;

type Props = {
  now: Texts;
  set: (change: Partial<Texts>) => void;
  language: Language;
  onLanguage: (language: Language) => void;
};

/** The heading and the text: the same for all languages, or one for each. */
export function TextFields({ now, set, language, onLanguage }: Props) {
  const t = useTranslations('certificates.template');
  const names = useTranslations('tenants.languages');
  const isLocalized = [now.Title, now.Text].some((text) => text !== null && typeof text === 'object');
  const split = (wanted: boolean) =>
    set(
      wanted
        ? { Title: all(now.Title), Text: all(now.Text) }
        : { Title: firstOf(now.Title), Text: firstOf(now.Text) },
    );
  const field = (name: keyof Texts) => {
    const text = now[name];
    const own = typeof text === 'object' ? (text?.[language] ?? '') : text;
    return {
      label: t(name),
      value: own,
      onChange: ({ currentTarget: { value } }: { currentTarget: { value: string } }) => {
        if (!isLocalized) return set({ [name]: value || null });
        const { [language]: _, ...others } = all(text);
        set({ [name]: value ? { ...others, [language]: value } : others });
      },
    };
  };
  return (
    <>
      <Switch
        label={t('localized')}
        description={t('localizedText')}
        checked={isLocalized}
        onChange={({ currentTarget }) => split(currentTarget.checked)}
      />
      {isLocalized && (
        <SegmentedControl
          aria-label={t('language')}
          value={language}
          onChange={(value) => onLanguage(choiceOf(languages, value) ?? language)}
          data={languages.map((value) => ({ value, label: names(value) }))}
        />
      )}
      <TextInput {...field('Title')} description={t('titleText')} maxLength={200} />
      <Textarea {...field('Text')} description={t('textText')} maxLength={1000} autosize minRows={2} />
    </>
  );
}
