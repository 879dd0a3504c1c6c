import { Button, Group, Paper, Text } from '@mantine/core';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../api/api.tsx';
import { readRows } from '../api/data.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The ticked rows of a list, kept while a page for them is open. */
    ticked?: unknown[];
  }
}

type Held<T> = { tenant: string | null; chosen: ReadonlyMap<string, T>; allOf: string | null };

type Options<T> = {
  rowKey: (row: T) => string;
  nameOf: (row: T) => string;
  /** The list, for selecting all rows that match its filters. */
  path: string;
  query: Record<string, string | number | boolean | undefined>;
  /** The number of all matching rows, if the list does not show all of them. */
  all: number | undefined;
};

/** The ticked rows of a list, or all rows that match its filters, including those not shown. */
export function useSelection<T>({ rowKey, nameOf, path, query, all }: Options<T>) {
  const api = useApi();
  const { tenant } = api;
  const navigate = useNavigate();
  const { ticked } = useLocation().state;
  const [held, hold] = useState<Held<T>>(() => {
    const rows = (ticked ?? []) as T[];
    return { tenant, chosen: new Map(rows.map((row) => [rowKey(row), row])), allOf: null };
  });
  const filters = JSON.stringify(query);
  // Ticked rows stay ticked when the filters change, but not when the tenant changes.
  const chosen: ReadonlyMap<string, T> = held.tenant === tenant ? held.chosen : new Map();
  const isAll = held.tenant === tenant && held.allOf === filters && all !== undefined;
  const change = (chosen: ReadonlyMap<string, T>) => hold({ tenant, chosen, allOf: null });
  return {
    selection: { chosen, change, nameOf },
    count: isAll ? all : chosen.size,
    isAll,
    /** Undefined if all matching rows are shown or selected. */
    selectAll: all === undefined || isAll ? undefined : () => hold({ tenant, chosen, allOf: filters }),
    all,
    clear: () => change(new Map()),
    read: async (): Promise<readonly T[]> => (isAll ? readRows<T>(api, path, query) : [...chosen.values()]),
    /** Keeps the rows ticked for when the user returns to the list. */
    keep: () =>
      navigate({
        to: '.',
        search: true,
        replace: true,
        resetScroll: false,
        state: { ticked: [...chosen.values()] },
      }),
  };
}

type SelectionBarProps = {
  /** Names the region for screen readers. */
  label: string;
  text: (count: number) => string;
  ticked: Pick<ReturnType<typeof useSelection>, 'count' | 'selectAll' | 'all' | 'clear'>;
  children: ReactNode;
};

/** Says how many rows are selected, and offers actions for them. */
export function SelectionBar({ label, text, ticked, children }: SelectionBarProps) {
  const t = useTranslations('list');
  const change = useTranslations('change');
  const { count, all, selectAll, clear } = ticked;
  if (count === 0) return null;
  return (
    <Paper withBorder className="chosen" role="region" aria-label={label}>
      <Text size="sm" fw={600} role="status">
        {text(count)}
      </Text>
      <Group gap="xs">
        {selectAll && (
          <Button variant="subtle" size="xs" onClick={selectAll}>
            {change('selectAll', { count: all ?? 0 })}
          </Button>
        )}
        <Button variant="subtle" size="xs" onClick={clear}>
          {t('clearChoice')}
        </Button>
        {children}
      </Group>
    </Paper>
  );
}
