import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useFormatter, useTranslations } from 'use-intl';
import { None } from '../../parts/values.tsx';
import type { Filter, Scope } from './figures.ts';

type CountProps = {
  /** Null if it is not known. */
  count: number | null;
  scope: Scope;
  filter?: Filter;
  /** What is counted, for screen readers. */
  label: string;
};

/** A figure, with a link to the enrolments behind it. */
export function Count({ count, scope, filter, label }: CountProps) {
  const t = useTranslations('reports');
  const format = useFormatter();
  if (count === null) return <None />;
  const text = format.number(count);
  if (count === 0 || scope === null)
    return (
      <span className="number" data-zero={count === 0 || undefined}>
        {text}
      </span>
    );
  return (
    <Anchor
      inherit
      className="number"
      aria-label={t('showEnrolments', { count, what: label })}
      renderRoot={(props) => (
        <Link to="/console/enrolments" search={{ ...scope, ...filter } as never} {...props} />
      )}
    >
      {text}
    </Anchor>
  );
}
