import { Progress, Text } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { usePercent } from '../../parts/percent.ts';
import { Instant } from '../../parts/values.tsx';

export type Enrolment = components['schemas']['Enrolment'];
export type ListedEnrolment = components['schemas']['ListedEnrolment'];
export type Explanation = components['schemas']['Explanation'];
export type Offer = components['schemas']['Offer'];
export type Option = components['schemas']['EnrolOption'];

export function ProgressOf({ value }: { value: number }) {
  const t = useTranslations('enrolments');
  const percent = usePercent();
  return (
    <div className="progress" data-zero={value === 0 || undefined}>
      <Progress value={value} size="sm" aria-label={t('progress')} />
      <Text size="xs" c="dimmed" component="span">
        {percent(value)}
      </Text>
    </div>
  );
}

/** Formats hours and minutes, or seconds if the time is less than a minute. */
export function useTimeSpent(): (seconds: number) => string {
  const format = useFormatter();
  return (seconds) => {
    const minutes = Math.round(seconds / 60);
    const parts = [
      { amount: Math.floor(minutes / 60), unit: 'hour' },
      { amount: minutes % 60, unit: 'minute' },
    ].filter(({ amount }) => amount > 0);
    if (seconds < 60 || parts.length === 0)
      parts.splice(0, 2, { amount: Math.round(seconds), unit: 'second' });
    return format.list(
      parts.map(({ amount, unit }) => format.number(amount, { style: 'unit', unit, unitDisplay: 'long' })),
      { type: 'unit' },
    );
  };
}

/** The time at which access ends, or a text that says that it never ends. */
export function EndOf({ at }: { at: string | null }) {
  const t = useTranslations('enrolments');
  return <Instant at={at} none={t('never')} />;
}
