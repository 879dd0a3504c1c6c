import { Checkbox, Stack, Switch, TagsInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';

export type Reminders = components['schemas']['Reminders'];

/** Earliest reminder first. Anything that is not a number of days is left out. */
const daysOf = (typed: string[]) =>
  typed
    .map(Number)
    .filter((days) => Number.isInteger(days) && days >= 1 && days <= 365)
    .sort((a, b) => b - a);

type Props = { value: Reminders; onChange: (change: Partial<Reminders>) => void; isReadOnly: boolean };

/** Whether, and on which days, people are reminded. */
export function ReminderFields({ value, onChange, isReadOnly }: Props) {
  const t = useTranslations('reminders');
  const checkbox = (name: 'OnTheDay' | 'WeeklyWhenOverdue' | 'ManagerDigest') => (
    <Checkbox
      label={t(`fields.${name}`)}
      checked={value[name]}
      onChange={({ currentTarget: { checked } }) => onChange({ [name]: checked })}
      disabled={isReadOnly}
    />
  );
  return (
    <Stack>
      <Switch
        label={t('fields.Enabled')}
        description={t('enabledText')}
        checked={value.Enabled}
        onChange={({ currentTarget: { checked } }) => onChange({ Enabled: checked })}
        disabled={isReadOnly}
      />
      {value.Enabled && (
        <>
          <TagsInput
            label={t('fields.DaysBefore')}
            description={t('daysText')}
            value={value.DaysBefore.map(String)}
            onChange={(values) => onChange({ DaysBefore: daysOf(values) })}
            maxTags={5}
            splitChars={[',', ' ', ';']}
            acceptValueOnBlur
            inputMode="numeric"
            readOnly={isReadOnly}
            inputWrapperOrder={['label', 'input', 'description']}
          />
          {checkbox('OnTheDay')}
          {checkbox('WeeklyWhenOverdue')}
          {checkbox('ManagerDigest')}
        </>
      )}
    </Stack>
  );
}
