import { NativeSelect } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';

const offered = [1, 1.25, 1.5, 2, 3];

/** Forms hold a factor as text; `null` is no time limit, and `user` the factor of the enrolment's user. */
export const textOfFactor = (factor: number | null) => String(factor);
export const factorOfText = (text: string) => (text === 'null' ? null : Number(text));

export function useFactorText() {
  const t = useTranslations('users.timeFactor');
  const format = useFormatter();
  return (factor: number | null) => {
    if (factor === null) return t('none');
    return factor === 1
      ? t('usual')
      : t('extra', { percent: format.number(factor - 1, { style: 'percent' }) });
  };
}

type Props = { value: string; onChange: (text: string) => void; inherits?: boolean };

export function TimeFactorField({ value, onChange, inherits = false }: Props) {
  const t = useTranslations('users.timeFactor');
  const textOf = useFactorText();
  const own = value === 'user' || value === 'null' ? [] : [Number(value)];
  const factors = [...new Set([...offered, ...own])].sort((a, b) => a - b);
  return (
    <NativeSelect
      label={t('label')}
      description={t('help')}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={[
        ...(inherits ? [{ value: 'user', label: t('asUser') }] : []),
        ...[...factors, null].map((factor) => ({ value: textOfFactor(factor), label: textOf(factor) })),
      ]}
    />
  );
}
