import { Checkbox, Group, NativeSelect, NumberInput, Radio, Stack, TextInput } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { choiceOf } from '../../parts/choices.ts';
import type { Option } from './values.tsx';

type Rules = NonNullable<Option['Attempts']>;

const counts = ['best', 'last', 'first'] as const satisfies readonly Rules['Counts'][];
const afters = ['failed', 'finished'] as const satisfies readonly Rules['After'][];
const fresh: Rules = { Limit: 3, CoolDown: null, Counts: 'best', After: 'failed', Review: false };
const coolDown = /^P(?=\d|T\d)(\d{1,3}D)?(T(?=\d)(\d{1,3}H)?(\d{1,3}M)?)?$/;

type AttemptsFieldProps = { value: Rules | null; onChange: (value: Rules | null) => void };

/** The rules for attempts, or a single attempt that stays open. */
export function AttemptsField({ value, onChange }: AttemptsFieldProps) {
  const t = useTranslations('courses.options.attempts');
  const set = (changed: Partial<Rules>) => onChange({ ...fresh, ...value, ...changed });
  return (
    <Stack gap="xs">
      <Radio.Group
        label={t('label')}
        description={t('text')}
        value={value === null ? 'single' : 'several'}
        onChange={(wanted) => onChange(wanted === 'single' ? null : fresh)}
      >
        <Group mt="xs">
          <Radio value="single" label={t('single')} />
          <Radio value="several" label={t('several')} />
        </Group>
      </Radio.Group>
      {value !== null && (
        <>
          <Group grow align="flex-start" preventGrowOverflow={false}>
            <NumberInput
              label={t('limit')}
              description={t('limitText')}
              min={1}
              max={100}
              clampBehavior="strict"
              allowDecimal={false}
              value={value.Limit ?? ''}
              onChange={(typed) => set({ Limit: typeof typed === 'number' ? typed : null })}
            />
            <TextInput
              label={t('coolDown')}
              description={t('coolDownText')}
              maxLength={20}
              placeholder="P1D"
              value={value.CoolDown ?? ''}
              error={value.CoolDown !== null && !coolDown.test(value.CoolDown) && t('coolDownWrong')}
              onChange={(event) => set({ CoolDown: event.currentTarget.value.trim().toUpperCase() || null })}
            />
          </Group>
          <Group grow align="flex-start" preventGrowOverflow={false}>
            <NativeSelect
              label={t('counts')}
              value={value.Counts}
              onChange={(event) =>
                set({ Counts: choiceOf(counts, event.currentTarget.value) ?? value.Counts })
              }
              data={counts.map((one) => ({ value: one, label: t(`countsOf.${one}`) }))}
            />
            <NativeSelect
              label={t('after')}
              value={value.After}
              onChange={(event) => set({ After: choiceOf(afters, event.currentTarget.value) ?? value.After })}
              data={afters.map((one) => ({ value: one, label: t(`afterOf.${one}`) }))}
            />
          </Group>
          <Checkbox
            label={t('review')}
            description={t('reviewText')}
            checked={value.Review}
            onChange={(event) => set({ Review: event.currentTarget.checked })}
          />
        </>
      )}
    </Stack>
  );
}
