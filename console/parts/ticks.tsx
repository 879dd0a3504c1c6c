import { Checkbox } from '@mantine/core';
import { type ChangeEvent, useRef } from 'react';
import { useTranslations } from 'use-intl';

/** Rows that the user has ticked, by their keys. */
export type Selection<T> = {
  chosen: ReadonlyMap<string, T>;
  change: (chosen: ReadonlyMap<string, T>) => void;
  /** Names the row's checkbox for screen readers. */
  nameOf: (row: T) => string;
};

/** The checkboxes of a list. With the Shift key, all rows since the previous one are ticked or cleared. */
export function useRowSelection<T>(
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
  const ofAll = () => (
    <Checkbox
      size="sm"
      checked={ticked > 0 && ticked === rows.length}
      indeterminate={ticked > 0 && ticked < rows.length}
      onChange={(event) => set(rows, event.currentTarget.checked)}
      aria-label={t('selectAll')}
    />
  );
  return { ofRow, ofAll };
}
