import { NumberInput, Radio, Stack, Textarea } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { AuthoredCourse } from './values.tsx';

type Rule = AuthoredCourse['CompleteWhen'];
type Props = { value: Rule; onChange: (rule: Rule) => void };

const single = ['document', 'video', 'audio', 'page'];
export const hasCompletionRule = ({ Standard }: Pick<AuthoredCourse, 'Standard'>) =>
  Standard !== null && single.includes(Standard);

/** When a course that is a single file is completed. */
export function CompletionField({ value, onChange }: Props) {
  const t = useTranslations('courses.completion');
  const kind = value === null ? 'usual' : 'Percent' in value ? 'percent' : 'confirm';
  const rules = { usual: null, percent: { Percent: 90 }, confirm: { Confirm: t('usualConfirm') } };
  return (
    <Stack gap="sm">
      <Radio.Group
        label={t('label')}
        value={kind}
        onChange={(kind) => onChange(rules[kind as keyof typeof rules])}
      >
        <Stack gap="xs" mt="xs">
          <Radio value="usual" label={t('usual')} description={t('usualText')} />
          <Radio value="percent" label={t('percent')} />
          <Radio value="confirm" label={t('confirm')} description={t('confirmText')} />
        </Stack>
      </Radio.Group>
      {value !== null && 'Percent' in value && (
        <NumberInput
          label={t('part')}
          min={1}
          max={100}
          suffix=" %"
          required
          value={value.Percent}
          onChange={(part) => onChange({ Percent: Number(part) })}
          maw={160}
        />
      )}
      {value !== null && 'Confirm' in value && (
        <Textarea
          label={t('sentence')}
          autosize
          required
          maxLength={2000}
          value={value.Confirm}
          onChange={(event) => onChange({ Confirm: event.currentTarget.value })}
        />
      )}
    </Stack>
  );
}
