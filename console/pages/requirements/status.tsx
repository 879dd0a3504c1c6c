import { Anchor, Badge } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useFormatter, useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import type { Column } from '../../parts/list.tsx';
import { usePercent } from '../../parts/percent.ts';

export type Obligation = components['schemas']['ListedObligation'];
export type Compliance = components['schemas']['Compliance'];
export type Status = Obligation['Status'];

const colors: Record<Status, string> = {
  not_due: 'gray',
  due_soon: 'yellow',
  overdue: 'red',
  met: 'green',
  expiring: 'yellow',
  expired: 'red',
  exempt: 'blue',
  closed: 'gray',
};

export function StatusBadge({ status }: { status: Status }) {
  const t = useTranslations('obligations');
  return (
    <Badge color={colors[status]} miw="max-content">
      {t(`statuses.${status}`)}
    </Badge>
  );
}

/** What the list can be filtered by: one status, or several that answer one question. */
export const statusFilters = {
  late: 'overdue,expired',
  open: 'not_due,due_soon,overdue,expired',
  valid: 'met,expiring',
  ...{ overdue: 'overdue', expired: 'expired', due_soon: 'due_soon', not_due: 'not_due' },
  ...{ expiring: 'expiring', met: 'met', exempt: 'exempt', closed: 'closed' },
} as const;
export type StatusFilter = keyof typeof statusFilters;

export const statusesOfFigures = {
  Overdue: 'overdue',
  Expired: 'expired',
  DueSoon: 'due_soon',
  NotDue: 'not_due',
  Expiring: 'expiring',
  Met: 'met',
  Exempt: 'exempt',
} as const satisfies Partial<Record<keyof Compliance, StatusFilter>>;
type Figure = keyof typeof statusesOfFigures;

/** The filters of the list of obligations, as in its URL. */
export type Scope = Partial<Record<'requirement' | 'group' | 'manager' | 'attribute' | 'day', string>>;

/** In the URL of the list: only what the reports count, without renewals and leavers. */
export const counted = { present: 'true' };

type CountProps = { count: number; label: string; scope: Scope; status?: StatusFilter };

/** A figure, with a link to the obligations behind it. */
export function ObligationCount({ count, label, scope, status }: CountProps) {
  const t = useTranslations('obligations');
  const format = useFormatter();
  const text = format.number(count);
  if (count === 0)
    return (
      <span className="number" data-zero={count === 0 || undefined}>
        {text}
      </span>
    );
  const isLate = status === 'overdue' || status === 'expired';
  return (
    <Anchor
      inherit
      className="number"
      {...(isLate && { c: 'var(--mantine-color-error)' })}
      aria-label={t('show', { count, what: label })}
      renderRoot={(props) => (
        <Link
          to="/console/requirements/people"
          search={{ ...scope, ...counted, status } as never}
          {...props}
        />
      )}
    >
      {text}
    </Anchor>
  );
}

/** Columns with the number of people in each status. */
export function useFigureColumns<Row>(
  figures: readonly (Figure | 'Obligations' | 'ValidPercent')[],
  lineOf: (row: Row) => Compliance | undefined,
  scopeOf: (row: Row) => Scope,
): Column<Row>[] {
  const t = useTranslations('obligations');
  const percent = usePercent();
  return figures.map((figure) => ({
    key: figure,
    header: t(`figures.${figure}`),
    align: 'end',
    cell: (row) => {
      const line = lineOf(row);
      if (!line) return '–';
      if (figure === 'ValidPercent') return line.ValidPercent === null ? '–' : percent(line.ValidPercent);
      const status = figure === 'Obligations' ? {} : { status: statusesOfFigures[figure] };
      return (
        <ObligationCount
          count={line[figure]}
          label={t(`figures.${figure}`)}
          scope={scopeOf(row)}
          {...status}
        />
      );
    },
  }));
}
