import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { ListFilters } from '../../parts/filtered-list.tsx';
import { isOrder, type Order, type Sort } from '../../parts/sorting.tsx';

const columns = ['enrolled', 'status', 'due', 'ends'] as const;
type Column = (typeof columns)[number];

/** Every due date is before it. */
const farDay = '2999-12-31';

/**
 * How the list of enrolments is sorted. By due date or end of access, only current enrolments that have one are listed:
 * the service has no other index for it. These two filters have their own order.
 */
export function useEnrolmentOrder({ values, change }: ListFilters) {
  const t = useTranslations('enrolments');
  const [now] = useState(() => new Date().toISOString());
  const fixed = values.due ? 'due' : values.before ? 'ends' : undefined;
  const by: Column = fixed ?? columns.find((one) => one === values.by) ?? 'enrolled';
  // By default, the newest enrolments, the earliest ends of access or the completed enrolments come first.
  const order = isOrder(values.order) ? values.order : by === 'enrolled' ? 'newest' : 'oldest';
  const texts = {
    enrolled: { newest: t('orders.newest'), oldest: t('orders.oldest') },
    status: { newest: t('statusOrders.newest'), oldest: t('statusOrders.oldest') },
    due: { newest: t('dueOrders.newest'), oldest: t('dueOrders.oldest') },
    ends: { newest: t('endOrders.newest'), oldest: t('endOrders.oldest') },
  };
  const sortOf = (column: Column): Sort => ({
    column,
    order: column === by ? order : undefined,
    first: column === 'enrolled' ? 'newest' : 'oldest',
    onChange: (order: Order | undefined) =>
      change({ by: fixed !== undefined || column === 'enrolled' ? undefined : column, order }),
    texts: texts[column],
  });
  const implied = { due: { DueBefore: farDay }, ends: { ExpiresAfter: now }, enrolled: {}, status: {} };
  return {
    /** Set if only enrolments with this date are listed, although no filter asks for it. */
    by: fixed === undefined && (by === 'ends' || by === 'due') ? by : null,
    sorts: fixed === undefined ? columns.map(sortOf) : [sortOf(fixed)],
    query: {
      order: by === 'status' && order === 'newest' ? 'status_descending' : by === 'status' ? 'status' : order,
      filter: fixed === undefined ? implied[by] : {},
    },
  };
}
