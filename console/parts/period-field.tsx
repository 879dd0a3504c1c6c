import { Group, NativeSelect, NumberInput, Stack, Text } from '@mantine/core';
import { useId, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { choiceOf } from './choices.ts';

const units = { D: 'day', W: 'week', M: 'month', Y: 'year' } as const;
type Letter = keyof typeof units;
const letters = ['D', 'W', 'M', 'Y'] as const satisfies readonly Letter[];
const most: Record<Letter, number> = { D: 3650, W: 520, M: 120, Y: 50 };

type Props = {
  label: string;
  description?: string;
  /** An ISO 8601 period with one unit, such as P30D; null if there is none. */
  value: string | null;
  onChange: (value: string | null) => void;
  required?: boolean;
  isReadOnly?: boolean;
};

/** A number of days, weeks, months or years. */
export function PeriodField({
  label,
  description,
  value,
  onChange,
  required = false,
  isReadOnly = false,
}: Props) {
  const t = useTranslations('period');
  const id = useId();
  const [, amount, letter] = /^P(\d+)([DWMY])$/.exec(value ?? '') ?? [];
  const [unit, setUnit] = useState<Letter>(choiceOf(letters, letter) ?? 'D');
  return (
    <Stack gap={4}>
      <Group align="flex-end" gap="sm">
        <NumberInput
          label={label}
          {...(description !== undefined && { 'aria-describedby': id })}
          required={required}
          min={1}
          max={most[unit]}
          allowDecimal={false}
          allowNegative={false}
          value={amount === undefined ? '' : Number(amount)}
          onChange={(typed) => onChange(typeof typed === 'number' && typed > 0 ? `P${typed}${unit}` : null)}
          readOnly={isReadOnly}
          flex={1}
          miw={140}
        />
        <NativeSelect
          aria-label={t('unitOf', { label })}
          value={unit}
          onChange={({ currentTarget }) => {
            const wanted = choiceOf(letters, currentTarget.value) ?? 'D';
            setUnit(wanted);
            if (amount !== undefined) onChange(`P${Math.min(Number(amount), most[wanted])}${wanted}`);
          }}
          disabled={isReadOnly}
          data={letters.map((one) => ({ value: one, label: t(`units.${units[one]}`) }))}
          w={120}
        />
      </Group>
      {description !== undefined && (
        <Text size="xs" c="dimmed" id={id}>
          {description}
        </Text>
      )}
    </Stack>
  );
}

/** A period in words, such as "30 days". */
export function usePeriodText(): (period: string) => string {
  const format = useFormatter();
  return (period) => {
    const [, amount, letter] = /^P(\d+)([DWMY])$/.exec(period) ?? [];
    const unit = choiceOf(letters, letter);
    return unit
      ? format.number(Number(amount), { style: 'unit', unit: units[unit], unitDisplay: 'long' })
      : period;
  };
}
