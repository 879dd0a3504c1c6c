import { Select, TagsInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { choiceOf } from '../../parts/choices.ts';

export type MailSettings = Pick<components['schemas']['Settings'], 'Language' | 'ReminderDays'>;

const languages = ['en', 'de', 'fr'] as const satisfies readonly MailSettings['Language'][];

/** Earliest reminder first. Anything that is not a number of days is left out. */
const daysOf = (typed: string[]) =>
  typed
    .map(Number)
    .filter((days) => Number.isInteger(days) && days >= 1 && days <= 365)
    .sort((a, b) => b - a);

type Props = {
  typed: MailSettings;
  onChange: (change: Partial<MailSettings>) => void;
  isReadOnly?: boolean;
};

/** The language of a tenant's emails and pages, and when learners are reminded. */
export function MailFields({ typed, onChange, isReadOnly = false }: Props) {
  const t = useTranslations('tenants');
  return (
    <>
      <Select
        label={t('language')}
        data={languages.map((value) => ({ value, label: t(`languages.${value}`) }))}
        value={typed.Language}
        onChange={(value) => onChange({ Language: choiceOf(languages, value) ?? typed.Language })}
        allowDeselect={false}
        readOnly={isReadOnly}
      />
      <TagsInput
        label={t('reminderDays')}
        description={t('reminderDaysText')}
        value={typed.ReminderDays.map(String)}
        onChange={(values) => onChange({ ReminderDays: daysOf(values) })}
        maxTags={5}
        splitChars={[',', ' ', ';']}
        acceptValueOnBlur
        inputMode="numeric"
        readOnly={isReadOnly}
        inputWrapperOrder={['label', 'input', 'description']}
      />
    </>
  );
}
