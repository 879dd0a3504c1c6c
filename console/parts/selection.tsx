import { Button, Checkbox, Group, Paper, Text } from '@mantine/core';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { type ChangeEvent, type ReactNode, useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../api/api.tsx';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The ticked rows of a list, kept while a page for them is open. */
    ticked?: unknown[];
  }
}

/** Rows that the user has ticked, by their keys. */
export type Selection<T> = {
  chosen: ReadonlyMap<string, T>;
  change: (chosen: ReadonlyMap<string, T>) => void;
  /** Names the row's checkbox for screen readers. */
  nameOf: (row: T) => string;
};

/** The ticked rows of a list. Filters keep them; another tenant has none of them. */
export function useSelection<T>(rowKey: (row: T) => string, nameOf: (row: T) => string) {
  const { tenant } = useApi();
  const navigate = useNavigate();
  const { ticked } = useLocation().state;
  const [held, hold] = useState<{ tenant: string | null; chosen: ReadonlyMap<string, T> }>(() => {
    const rows = (ticked ?? []) as T[];
    return { tenant, chosen: new Map(rows.map((row) => [rowKey(row), row])) };
  });
  const chosen: ReadonlyMap<string, T> = held.tenant === tenant ? held.chosen : new Map();
  return {
    selection: { chosen, change: (chosen: ReadonlyMap<string, T>) => hold({ tenant, chosen }), nameOf },
    rows: [...chosen.values()],
    clear: () => hold({ tenant, chosen: new Map() }),
    /** Keeps the ticks for the way back to the list. */
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

export type UsedSelection<T> = ReturnType<typeof useSelection<T>>;

/** The checkboxes of a list. With the Shift key, all rows since the previous one are ticked or cleared. */
export function useTicks<T>(
  selection: Selection<T> | undefined,
  rows: readonly T[],
  rowKey: (row: T) => string,
) {
  const t = useTranslations('list');
  const previous = useRef<string | null>(null);
  if (!selection) return null;
  const { chosen, change, nameOf } = selection;
  const ticked = rows.filter((row) => chosen.has(rowKey(row))).length;
  const set = (some: readonly T[], isChosen: boolean) => {
    const next = new Map(chosen);
    for (const row of some) isChosen ? next.set(rowKey(row), row) : next.delete(rowKey(row));
    change(next);
  };
  const setRow = (row: T, { currentTarget, nativeEvent }: ChangeEvent<HTMLInputElement>) => {
    const isRange = 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true;
    const at = rows.indexOf(row);
    const from = isRange ? rows.findIndex((one) => rowKey(one) === previous.current) : -1;
    previous.current = rowKey(row);
    set(from < 0 ? [row] : rows.slice(Math.min(from, at), Math.max(from, at) + 1), currentTarget.checked);
  };
  const ofRow = (row: T) => (
    <Checkbox
      size="sm"
      checked={chosen.has(rowKey(row))}
      onChange={(event) => setRow(row, event)}
      aria-label={t('select', { name: nameOf(row) })}
    />
  );
  const ofAll = (label?: string) => (
    <Checkbox
      size="sm"
      checked={ticked > 0 && ticked === rows.length}
      indeterminate={ticked > 0 && ticked < rows.length}
      onChange={(event) => set(rows, event.currentTarget.checked)}
      {...(label === undefined ? { 'aria-label': t('selectAll') } : { label })}
    />
  );
  return { ofRow, ofAll };
}

/** Says how many rows are ticked, and offers actions for them. */
export function SelectionBar({
  label,
  text,
  onClear,
  children,
}: {
  /** Names the region for screen readers. */
  label: string;
  /** The number of ticked rows; null if there are none. */
  text: string | null;
  onClear: () => void;
  children: ReactNode;
}) {
  const t = useTranslations('list');
  if (text === null) return null;
  return (
    <Paper withBorder className="chosen" role="region" aria-label={label}>
      <Text size="sm" fw={600} role="status">
        {text}
      </Text>
      <Group gap="xs">
        <Button variant="subtle" size="xs" onClick={onClear}>
          {t('clearChoice')}
        </Button>
        {children}
      </Group>
    </Paper>
  );
}
