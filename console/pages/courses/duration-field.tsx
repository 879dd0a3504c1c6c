import { Group, NativeSelect, NumberInput, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { choiceOf } from '../../parts/choices.ts';
import { maxOf, partsOf, toIso, type Unit, units } from './duration.ts';
import { useDurationText } from './values.tsx';

type DurationFieldProps = {
  /** ISO 8601; null means unlimited. */
  value: string | null;
  onChange: (value: string | null) => void;
  /** The duration suggested first. */
  usual?: string;
};

/** A duration as a number and a unit, or as ISO 8601 if it needs several units. */
export function DurationField({ value, onChange, usual = 'P30D' }: DurationFieldProps) {
  const t = useTranslations('courses.options');
  const words = useDurationText();
  const parts = value === null ? [] : (partsOf(value) ?? []);
  const [first] = parts;
  const usualUnit = partsOf(usual)?.[0]?.unit ?? 'day';
  const [unit, setUnit] = useState<Unit | 'other'>(parts.length > 1 ? 'other' : (first?.unit ?? usualUnit));
  const amount = first?.amount ?? 30;
  const isLimited = value !== null;
  const isValid = value !== null && partsOf(value) !== null;
  const choose = (wanted: Unit | 'other') => {
    setUnit(wanted);
    if (wanted !== 'other') onChange(toIso({ amount: Math.min(amount, maxOf(wanted)), unit: wanted }));
  };
  return (
    <Stack gap="xs">
      <Radio.Group
        label={t('duration')}
        description={t('durationText')}
        value={isLimited ? 'limited' : 'unlimited'}
        onChange={(wanted) => {
          setUnit(usualUnit);
          onChange(wanted === 'limited' ? usual : null);
        }}
      >
        <Group mt="xs">
          <Radio value="limited" label={t('limitedTime')} />
          <Radio value="unlimited" label={t('unlimitedTime')} />
        </Group>
      </Radio.Group>
      {isLimited && (
        <Group align="flex-end" gap="sm">
          {unit === 'other' ? (
            <TextInput
              label={t('iso')}
              required
              value={value}
              error={!isValid && t('isoWrong')}
              onChange={(event) => onChange(event.currentTarget.value.trim().toUpperCase())}
              w={180}
            />
          ) : (
            <NumberInput
              label={t('amount')}
              required
              min={1}
              max={maxOf(unit)}
              clampBehavior="strict"
              allowDecimal={false}
              allowNegative={false}
              value={first === undefined ? '' : amount}
              onChange={(typed) => onChange(typeof typed === 'number' ? toIso({ amount: typed, unit }) : '')}
              w={120}
            />
          )}
          <NativeSelect
            label={t('unit')}
            value={unit}
            onChange={(event) => choose(choiceOf(units, event.currentTarget.value) ?? 'other')}
            data={[...units, 'other' as const].map((one) => ({ value: one, label: t(`units.${one}`) }))}
            w={180}
          />
          {isValid && (
            <Text size="sm" c="dimmed" pb={8} role="status">
              {words(value)} · <span className="mono">{value}</span>
            </Text>
          )}
        </Group>
      )}
    </Stack>
  );
}
