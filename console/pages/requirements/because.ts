import { useFormatter, useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { usePeriodText } from '../../parts/period-field.tsx';
import { useDayText } from './words.ts';

type Reason = components['schemas']['ObligationExplanation']['Next'];

/** What a date, a change or the next step follows from, in a sentence. */
export function useBecause(): (reason: Reason) => string {
  const t = useTranslations('requirements.because');
  const format = useFormatter();
  const dayOf = useDayText();
  const show: Record<string, (value: string) => string> = {
    ...{ day: dayOf, before: dayOf, period: usePeriodText() },
    courses: (titles) => format.list(titles.split('\n'), { type: 'disjunction' }),
  };
  const none = { day: '', before: '', period: '', times: '', number: '', years: '', reason: '', courses: '' };
  return ({ Because, Values }) => {
    const shown = Object.entries(Values).map(([name, value]) => [name, show[name]?.(value) ?? value]);
    return t(Because, { ...none, ...Object.fromEntries(shown), days: Number(Values.days ?? 0) }).trim();
  };
}
