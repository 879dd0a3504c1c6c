import { Box, Button, Center, Group, Paper, Table, VisuallyHidden } from '@mantine/core';
import type { InfiniteData, UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { type Selection, useTicks } from './selection.tsx';
import { Failed, WaitingRows } from './states.tsx';

type PageOf<T> = { Items: T[]; NextCursor: string | null } | undefined;

export type Column<T> = {
  key: string;
  header: string;
  /** On a phone each row is a card; its first column is the card's title. */
  cell: (row: T) => ReactNode;
  /** A column with the row's buttons. Its header is only for screen readers. */
  isActions?: boolean;
  align?: 'end';
};

type ListProps<T> = {
  /** The table's name for screen readers. */
  label: string;
  query: UseInfiniteQueryResult<InfiniteData<PageOf<T>>, unknown>;
  columns: readonly Column<T>[];
  rowKey: (row: T) => string;
  selection?: Selection<T>;
  /** Shown instead of an empty table: what is missing, and how to add it. */
  empty: ReactNode;
};

/** Options for `$api.useInfiniteQuery`, shared by all lists. */
export const paged = {
  pageParamName: 'Cursor',
  // Undefined would be sent as page 0.
  initialPageParam: null,
  getNextPageParam: (page: unknown) =>
    (page as { NextCursor?: string | null } | undefined)?.NextCursor ?? undefined,
} as const;

/** A list from the API with all its states. Further pages are added below. */
export function List<T>({ label, query, columns, rowKey, empty, selection }: ListProps<T>) {
  const t = useTranslations('list');
  if (query.isPending) return <WaitingRows />;
  if (query.isError && !query.data) return <Failed error={query.error} onRetry={() => query.refetch()} />;
  const rows = query.data?.pages.flatMap((page) => page?.Items ?? []) ?? [];
  if (rows.length === 0) return <Paper withBorder>{empty}</Paper>;
  return (
    <Box>
      <Rows
        label={label}
        columns={columns}
        rows={rows}
        rowKey={rowKey}
        isBusy={query.isFetching}
        {...(selection ? { selection } : {})}
      />
      {query.isFetchNextPageError && <Failed error={query.error} />}
      {query.hasNextPage && (
        <Center mt="md">
          <Button variant="default" loading={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
            {t('more')}
          </Button>
        </Center>
      )}
    </Box>
  );
}

type RowsProps<T> = Pick<ListProps<T>, 'label' | 'columns' | 'rowKey' | 'selection'> & {
  rows: readonly T[];
  isBusy?: boolean;
};

/** The table of a list. Also used for rows that are part of another record. */
export function Rows<T>({ label, columns, rows, rowKey, isBusy = false, selection }: RowsProps<T>) {
  const ticks = useTicks(selection, rows, rowKey);
  const withTick = (at: number, tick: ReactNode, content: ReactNode) =>
    ticks && at === 0 ? (
      <Group gap="sm" wrap="nowrap">
        {tick}
        <div>{content}</div>
      </Group>
    ) : (
      content
    );
  return (
    <Paper withBorder className="list" tabIndex={0} role="region" aria-label={label}>
      <Table role="table" aria-label={label} aria-busy={isBusy}>
        <Table.Thead role="rowgroup">
          <Table.Tr role="row">
            {columns.map(({ key, header, isActions, align }, at) => (
              <Table.Th key={key} role="columnheader" scope="col" ta={align ?? 'start'}>
                {isActions ? <VisuallyHidden>{header}</VisuallyHidden> : withTick(at, ticks?.ofAll(), header)}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody role="rowgroup">
          {rows.map((row) => (
            <Table.Tr key={rowKey(row)} role="row">
              {columns.map(({ key, header, cell, isActions, align }, at) => (
                <Table.Td
                  key={key}
                  role="cell"
                  data-label={isActions ? undefined : header}
                  ta={align ?? 'start'}
                >
                  {/* Wraps the cell in one element, because a card on a phone shows it next to its label. */}
                  <div>{withTick(at, ticks?.ofRow(row), cell(row))}</div>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Paper>
  );
}
