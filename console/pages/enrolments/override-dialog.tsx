import { NativeSelect, NumberInput, Text, Textarea } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useFormState } from '../../parts/form-state.ts';
import { useResultText } from './result.tsx';
import { type Change, useChange } from './use-changes.ts';
import type { Enrolment } from './values.tsx';

type Props = { enrolment: Enrolment; isOpen: boolean; onClose: () => void };
type Override = NonNullable<Change['Override']>;

const completions = ['unknown', 'incomplete', 'completed'] as const;
const successes = ['unknown', 'passed', 'failed'] as const;
const oneOf = <Value extends string>(values: readonly Value[], text: string): Value | undefined =>
  values.find((value) => value === text);

/** Overrides the course's result. Blank fields keep the recorded values. */
export function OverrideDialog({ enrolment, isOpen, onClose }: Props) {
  const t = useTranslations('enrolments');
  const text = useResultText();
  const change = useChange(enrolment);
  const { Override, Recorded } = enrolment;
  const [typed, setTyped] = useFormState(isOpen, () => ({
    completion: Override?.Completion ?? '',
    success: Override?.Success ?? '',
    score: Override?.Score === undefined || Override.Score === null ? '' : String(Override.Score),
    reason: Override?.Reason ?? '',
  }));
  const set = (changed: Partial<typeof typed>) => setTyped((before) => ({ ...before, ...changed }));
  const [Completion, Success] = [oneOf(completions, typed.completion), oneOf(successes, typed.success)];
  const decided: Override = {
    ...(Completion ? { Completion } : {}),
    ...(Success ? { Success } : {}),
    ...(typed.score === '' ? {} : { Score: Number(typed.score) }),
    Reason: typed.reason,
  };
  const asRecorded = (value: string) => ({ value: '', label: t('override.asRecorded', { value }) });
  return (
    <FormDialog
      title={t('override.title')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('override.submit')}
      onSubmit={() => change({ Override: decided }, t('override.done'))}
    >
      <Text size="sm" c="dimmed">
        {t('override.text')}
      </Text>
      <NativeSelect
        label={t('completion')}
        value={typed.completion}
        onChange={(event) => set({ completion: event.currentTarget.value })}
        data={[
          asRecorded(text('Completion', Recorded.Completion)),
          ...completions.map((value) => ({ value, label: text('Completion', value) })),
        ]}
      />
      <NativeSelect
        label={t('success')}
        value={typed.success}
        onChange={(event) => set({ success: event.currentTarget.value })}
        data={[
          asRecorded(text('Success', Recorded.Success)),
          ...successes.map((value) => ({ value, label: text('Success', value) })),
        ]}
      />
      <NumberInput
        label={t('override.score')}
        description={t('override.scoreText', { value: text('Score', Recorded.Score) })}
        min={0}
        max={100}
        decimalScale={2}
        hideControls
        value={typed.score}
        onChange={(score) => set({ score: String(score) })}
      />
      <Textarea
        label={t('override.reason')}
        description={t('override.reasonText')}
        required
        maxLength={1000}
        minRows={2}
        value={typed.reason}
        onChange={(event) => set({ reason: event.currentTarget.value })}
      />
    </FormDialog>
  );
}
