import { useFormatter, useTranslations } from 'use-intl';
import type { Release } from './upload.ts';

export type Rule = Release['Units'][number]['Rules'][number];

/** Puts a rule into words, such as “Opens after Getting out is passed”. */
export function useRuleWords(): (rule: Omit<Rule, 'Text'>) => string {
  const t = useTranslations('courses.rules');
  const format = useFormatter();
  const condition = ({ Condition, Not, Units, Objective, Value }: Rule['Conditions'][number]) => {
    const units = Units.map((title) => t('unit', { title }));
    const own = Objective === null ? t('itself') : t('objective', { objective: Objective });
    const what = units.length > 0 ? format.list(units, { type: 'disjunction' }) : own;
    return t(`conditions.${Condition}`, { what, not: String(Not), value: Value ?? 0 });
  };
  return ({ Rule, Match, Conditions, Value }) => {
    const type = Match === 'all' ? 'conjunction' : 'disjunction';
    const conditions = format.list(Conditions.map(condition), { type });
    const duration = format.list(
      [...durationParts(Value ?? 0)].map(([unit, count]) => t(`duration.${unit}`, { count })),
      { type: 'conjunction' },
    );
    return t(`rules.${Rule}`, { conditions, duration, value: Value ?? 0 });
  };
}

function durationParts(seconds: number): Map<'hours' | 'minutes' | 'seconds', number> {
  const parts = new Map([
    ['hours', Math.floor(seconds / 3600)],
    ['minutes', Math.floor((seconds % 3600) / 60)],
    ['seconds', Math.round(seconds % 60)],
  ] as const);
  return new Map([...parts].filter(([, count]) => count > 0));
}
