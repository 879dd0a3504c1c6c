import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { isOrder, type Order, type Sort } from '../../parts/sorting.tsx';

const columns = ['enrolled', 'status', 'ends'] as const;
type Column = (typeof columns)[number];
type Filters = { by?: string | undefined; order?: string | undefined };

/**
 * How the list of enrolments is sorted. Only current enrolments are sorted by end of access, and only if they have
 * an end: the service has no other index for it.
 */
export function useEnrolmentOrder(
  { by: wanted, order: asked }: Filters,
  isFilteredByEnd: boolean,
  change: (filters: { by: string | undefined; order: string | undefined }) => void,
) {
  const t = useTranslations('enrolments');
  const [now] = useState(() => new Date().toISOString());
  const chosen = columns.find((one) => one === wanted) ?? 'enrolled';
  const by: Column = isFilteredByEnd ? 'ends' : chosen;
  // By default, the newest enrolments, the earliest ends of access or the completed enrolments come first.
  const order = isOrder(asked) ? asked : by === 'enrolled' ? 'newest' : 'oldest';
  const texts = {
    enrolled: { newest: t('orders.newest'), oldest: t('orders.oldest') },
    status: { newest: t('statusOrders.newest'), oldest: t('statusOrders.oldest') },
    ends: { newest: t('endOrders.newest'), oldest: t('endOrders.oldest') },
  };
  const sortOf = (column: Column): Sort => ({
    column,
    order: column === by ? order : undefined,
    first: column === 'enrolled' ? 'newest' : 'oldest',
    onChange: (order: Order | undefined) =>
      change({ by: isFilteredByEnd || column === 'enrolled' ? undefined : column, order }),
    texts: texts[column],
  });
  const byStatus = order === 'newest' ? 'status_descending' : 'status';
  return {
    by,
    // The filter has its own order.
    sorts: isFilteredByEnd ? [sortOf('ends')] : columns.map(sortOf),
    query: {
      order: by === 'status' ? (byStatus as 'status' | 'status_descending') : order,
      filter: by === 'ends' && !isFilteredByEnd ? { ExpiresAfter: now } : {},
    },
  };
}
