import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useFormatter, useTranslations } from 'use-intl';
import type { Figure, Scope } from './figures.ts';

type CountProps = {
  count: number;
  scope: Scope;
  status?: Figure['status'];
  /** What is counted, for screen readers. */
  label: string;
};

/** A figure, with a link to the enrolments behind it. */
export function Count({ count, scope, status, label }: CountProps) {
  const t = useTranslations('reports');
  const format = useFormatter();
  const text = format.number(count);
  if (count === 0 || scope === null) return <span className="number">{text}</span>;
  return (
    <Anchor
      inherit
      className="number"
      aria-label={t('showEnrolments', { count, what: label })}
      renderRoot={(props) => (
        <Link to="/console/enrolments" search={{ ...scope, status } as never} {...props} />
      )}
    >
      {text}
    </Anchor>
  );
}
