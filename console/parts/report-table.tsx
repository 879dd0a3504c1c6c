import { Button, Text } from '@mantine/core';
import { IconPrinter } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../api/api.tsx';
import { dataOf } from '../api/data.ts';
import { withQuery } from './download.tsx';
import type { Query } from './filtered-list.tsx';
import { useFilters } from './filters.tsx';
import { type Column, Rows } from './list.tsx';
import { isOrder, type Order, SortSelect, useSortFocus } from './sorting.tsx';
import { Failed, WaitingRows } from './states.tsx';

/** A column that a report can be sorted by. */
export type ReportColumn<T> = Column<T> & { value?: (row: T) => number | string | null };

const maxLines = 1_000;
const pageSize = 200;

/** The lines of a report, up to 1,000. They are read again every ten seconds unless there are many. */
export function useReportLines<T>(path: string, query: Query) {
  const { headers } = useApi();
  return useQuery({
    queryKey: ['report', path, query],
    queryFn: async ({ signal }) => {
      const lines: T[] = [];
      let Cursor: string | null = null;
      do {
        const asked: Query = { ...query, Limit: pageSize, ...(Cursor === null ? {} : { Cursor }) };
        const page: { Items: T[]; NextCursor: string | null } = await dataOf(
          fetch(withQuery(path, asked), { headers, signal }).then(async (response) => {
            const body = await response.json();
            return response.ok ? { data: body, response } : { error: body, response };
          }),
        );
        lines.push(...page.Items);
        Cursor = page.NextCursor;
      } while (Cursor !== null && lines.length < maxLines);
      return { lines, isCut: Cursor !== null };
    },
    refetchInterval: ({ state }) => ((state.data?.lines.length ?? 0) > pageSize ? false : 10_000),
  });
}

type Props<T> = {
  label: string;
  lines: ReturnType<typeof useReportLines<T>>;
  columns: readonly ReportColumn<T>[];
  rowKey: (row: T) => string;
  /** The line below all others. */
  total?: T | undefined;
  empty: ReactNode;
};

function compare(a: number | string | null, b: number | string | null): number {
  if (a === null || b === null) return Number(b === null) - Number(a === null);
  return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
}

/** The lines of a report with a total, which can be sorted by each column. The order is part of the page's URL. */
export function ReportTable<T>({ label, lines, columns, rowKey, total, empty }: Props<T>) {
  const t = useTranslations('list');
  const [{ sort, order: asked }, change] = useFilters(['sort', 'order']);
  const order = isOrder(asked) ? asked : undefined;
  const sorted = columns.find(({ key, value }) => key === sort && value);
  const sorts = useSortFocus(
    columns.flatMap(({ key, header, value, align }) => {
      if (!value) return [];
      return {
        column: key,
        order: key === sort ? order : undefined,
        first: align === 'end' ? ('newest' as const) : ('oldest' as const),
        onChange: (order: Order | undefined) => change({ sort: order && key, order }),
        texts: { newest: t('descending', { header }), oldest: t('ascending', { header }) },
        usual: t('usualOrder'),
      };
    }),
  );
  if (lines.isPending) return <WaitingRows />;
  if (!lines.data) return <Failed error={lines.error} onRetry={lines.refetch} />;
  const { lines: all, isCut } = lines.data;
  if (all.length === 0) return empty;
  const value = sorted?.value;
  const shown =
    value && order
      ? [...all].sort((a, b) => compare(value(a), value(b)) * (order === 'newest' ? -1 : 1))
      : all;
  return (
    <>
      <SortSelect sorts={sorts} />
      <Rows
        {...{ label, columns, rowKey, sorts }}
        rows={shown}
        isBusy={lines.isFetching}
        {...(total !== undefined && all.length > 1 && { total: { row: total, header: t('total') } })}
      />
      {isCut && (
        <Text size="sm" c="dimmed">
          {t('cut', { count: maxLines })}
        </Text>
      )}
    </>
  );
}

/** Prints the page without the menu, the filters and the buttons. */
export function PrintButton() {
  const t = useTranslations('list');
  return (
    <Button
      variant="default"
      leftSection={<IconPrinter size={16} aria-hidden />}
      onClick={() => window.print()}
    >
      {t('print')}
    </Button>
  );
}
