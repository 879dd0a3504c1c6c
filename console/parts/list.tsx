import './list.css';
import { Box, Button, Center, Group, Paper, Table, Text, VisuallyHidden } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { PointerEvent, ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { ariaSort, type FocusedSort, type Sort, SortButton, SortSelect, useSortFocus } from './sorting.tsx';
import { Failed, WaitingRows } from './states.tsx';
import { type Selection, useRowSelection } from './ticks.tsx';

type PageOf<T> = { Items: T[]; NextCursor: string | null } | undefined;

type OnPhone = 'aside' | 'plain' | 'hidden';

export type Column<T> = {
  key: string;
  header: string;
  cell: (row: T) => ReactNode;
  /**
   * On a phone, the first column is a row's first line, with badges `aside`. The others follow in the second; dates
   * and numbers have their header before them unless they are `plain`.
   */
  onPhone?: OnPhone | ((row: T) => OnPhone | undefined);
  /** A column with the row's buttons. Its header is only for screen readers. */
  isActions?: boolean;
  align?: 'end';
  /**
   * For text of any length: the column's share of the table, in percent. On a wide screen, each row is one line, and
   * text that does not fit is cut off. If no column has a share, cells have as many lines as they need.
   */
  share?: number;
};

type ListProps<T> = {
  /** The table's name for screen readers. */
  label: string;
  query: UseInfiniteQueryResult<InfiniteData<PageOf<T>>, unknown>;
  columns: readonly Column<T>[];
  rowKey: (row: T) => string;
  selection?: Selection<T>;
  /** The columns by which the list can be sorted. */
  sorts?: readonly Sort[];
  /** The number of all rows, if not all are shown. `More` means that there are at least this many. */
  count?: { Records: number; More: boolean } | undefined;
  /** Shown instead of an empty table: what is missing, and how to add it. */
  empty: ReactNode;
};

/** A list from the API with all its states. Further pages are added below. */
export function List<T>(props: ListProps<T>) {
  const { query, empty, selection } = props;
  const t = useTranslations('list');
  const sorts = useSortFocus(props.sorts ?? []);
  const rows = query.data?.pages.flatMap((page) => page?.Items ?? []) ?? [];
  const content = () => {
    if (query.isPending) return <WaitingRows />;
    if (query.isError && !query.data) return <Failed error={query.error} onRetry={() => query.refetch()} />;
    if (rows.length === 0) return <Paper withBorder>{empty}</Paper>;
    const { label, columns, rowKey } = props;
    return (
      <Rows
        {...{ label, columns, rows, rowKey }}
        isBusy={query.isFetching}
        {...(selection ? { selection } : {})}
        sorts={sorts}
      />
    );
  };
  return (
    <Box>
      <ListHead {...props} rows={rows} />
      {content()}
      {query.isFetchNextPageError && <Failed error={query.error} />}
      {query.hasNextPage && (
        <Center mt="md" className="list-more">
          <Button variant="default" loading={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
            {t('more')}
          </Button>
        </Center>
      )}
    </Box>
  );
}

/** The number of rows and, on a phone, the controls that are otherwise in the column headers. */
function ListHead<T>({
  query,
  selection,
  sorts = [],
  count,
  rows,
  rowKey,
}: ListProps<T> & { rows: readonly T[] }) {
  const t = useTranslations('rows');
  const ticks = useRowSelection(selection, rows, rowKey);
  const shown = rows.length;
  const isComplete = query.data !== undefined && !query.hasNextPage;
  const text = isComplete
    ? t('count', { count: shown })
    : t(count ? (count.More ? 'shownOfMore' : 'shownOf') : 'shown', { shown, of: count?.Records ?? 0 });
  return (
    <Group className="list-head" data-empty={shown === 0 || undefined}>
      {ticks && shown > 0 && <Box hiddenFrom="sm">{ticks.ofAll()}</Box>}
      {/* Always present, so that screen readers announce its changes. */}
      <Text size="sm" c="dimmed" role="status">
        {shown > 0 && text}
      </Text>
      {sorts.length > 0 && (shown > 0 || query.isPending) && <SortSelect sorts={sorts} />}
    </Group>
  );
}

type RowsProps<T> = Pick<ListProps<T>, 'label' | 'columns' | 'rowKey' | 'selection'> & {
  sorts?: readonly FocusedSort[];
  rows: readonly T[];
  isBusy?: boolean;
  /** A last line with the sums. Its first cell is `header`. */
  total?: { row: T; header: string };
};

const onPhone = <T,>({ onPhone }: Column<T>, row: T) =>
  typeof onPhone === 'function' ? onPhone(row) : onPhone;

const shareOf = <T,>({ share }: Column<T>) =>
  share === undefined ? {} : { 'data-share': true, style: { '--share': `${share}%` } };

/** Shows text that is cut off as a tooltip. */
function showWhole({ currentTarget }: PointerEvent<HTMLElement>) {
  const parts = [...currentTarget.querySelectorAll<HTMLElement>('div')];
  const isCut = parts.some(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
  if (isCut) currentTarget.title = currentTarget.innerText;
  else currentTarget.removeAttribute('title');
}

/** The table of a list. Also used for rows that are part of another record. */
export function Rows<T>({
  label,
  columns,
  rows,
  rowKey,
  isBusy = false,
  selection,
  sorts = [],
  total,
}: RowsProps<T>) {
  const ticks = useRowSelection(selection, rows, rowKey);
  const isOneLine = columns.some(({ share }) => share !== undefined);
  const withTick = (at: number, tick: ReactNode, content: ReactNode) =>
    ticks && at === 0 ? (
      <Group gap="sm" wrap="nowrap" className="ticked">
        {tick}
        <div>{content}</div>
      </Group>
    ) : (
      content
    );
  // On a phone, the header is only for screen readers, so it has no controls.
  const sortOf = (key: string) => sorts.find(({ column }) => column === key);
  const headerOf = ({ key, header }: Column<T>, at: number) => {
    const sort = sortOf(key);
    const text = sort ? (
      <>
        <Box component="span" hiddenFrom="sm">
          {header}
        </Box>
        <Box component="span" visibleFrom="sm">
          <SortButton sort={sort} header={header} />
        </Box>
      </>
    ) : (
      header
    );
    return withTick(at, <Box visibleFrom="sm">{ticks?.ofAll()}</Box>, text);
  };
  return (
    <Paper withBorder className="list" tabIndex={0} role="region" aria-label={label}>
      <Table role="table" aria-label={label} aria-busy={isBusy} mod={{ 'one-line': isOneLine }}>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map((column, at) => (
              <Table.Th
                key={column.key}
                role="columnheader"
                scope="col"
                ta={column.align ?? 'start'}
                {...shareOf(column)}
                {...ariaSort(sortOf(column.key))}
              >
                {column.isActions ? <VisuallyHidden>{column.header}</VisuallyHidden> : headerOf(column, at)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.map((row) => (
            <Table.Tr key={rowKey(row)} role="row">
              {columns.map((column, at) => (
                <Table.Td
                  key={column.key}
                  role="cell"
                  data-label={column.isActions ? undefined : column.header}
                  data-phone={column.isActions ? 'action' : onPhone(column, row)}
                  ta={column.align ?? 'start'}
                  {...shareOf(column)}
                  {...(column.share !== undefined && { onPointerEnter: showWhole })}
                >
                  {/* One element, so that text that does not fit is cut off. */}
                  <div>{withTick(at, ticks?.ofRow(row), column.cell(row))}</div>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
        {total && (
          <Table.Tfoot role="rowgroup">
            <Table.Tr role="row">
              {columns.map((column, at) => (
                <Table.Td
                  key={column.key}
                  role="cell"
                  data-label={column.header}
                  ta={column.align ?? 'start'}
                  fw={600}
                >
                  <div>{at === 0 ? total.header : column.cell(total.row)}</div>
                </Table.Td>
              ))}
            </Table.Tr>
          </Table.Tfoot>
        )}
      </Table>
    </Paper>
  );
}
