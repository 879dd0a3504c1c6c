import { NativeSelect, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import { useRef } from 'react';
import { useTranslations } from 'use-intl';

export type Order = 'newest' | 'oldest';
export const isOrder = (text: string | undefined): text is Order => text === 'newest' || text === 'oldest';

/** How a list is sorted by a column. */
export type Sort = {
  column: string;
  /** Undefined if the list is not sorted by this column. */
  order: Order | undefined;
  onChange: (order: Order | undefined) => void;
  /** The order after the first click. */
  first?: Order;
  texts: Record<Order, string>;
  /** Describes the usual order, if there is one besides newest and oldest first. */
  usual?: string;
};

/** The header disappears while a list loads in its new order. This restores the focus if the header had it. */
export function useSortFocus(sorts: readonly Sort[]) {
  const sorted = useRef<string>(null);
  return sorts.map((sort) => ({
    ...sort,
    onChange: (order: Order | undefined) => {
      sorted.current = sort.column;
      sort.onChange(order);
    },
    ref: (button: HTMLButtonElement | null) => {
      if (button && sorted.current === sort.column && document.activeElement === document.body)
        button.focus();
    },
  }));
}

export type FocusedSort = ReturnType<typeof useSortFocus>[number];

/** The attribute of a column header. Columns by which the list cannot be sorted have none. */
export function ariaSort(sort: Sort | undefined) {
  if (!sort) return {};
  const { order } = sort;
  return {
    'aria-sort': order === undefined ? 'none' : order === 'newest' ? 'descending' : 'ascending',
  } as const;
}

const icons = { newest: IconArrowDown, oldest: IconArrowUp, usual: IconArrowsSort };

/** A column header that changes the order. */
export function SortButton({ sort, header }: { sort: FocusedSort; header: string }) {
  const { ref, order, onChange, texts, usual, first = 'newest' } = sort;
  const other = order === 'newest' ? 'oldest' : 'newest';
  const next = order === undefined ? first : other;
  const wanted = usual !== undefined && order === 'oldest' ? undefined : next;
  const Icon = icons[order ?? 'usual'];
  return (
    <UnstyledButton
      ref={ref}
      className="sort"
      title={wanted === undefined ? usual : texts[wanted]}
      onClick={() => onChange(wanted)}
    >
      {header}
      <Icon size={14} aria-hidden />
    </UnstyledButton>
  );
}

/** Replaces the column headers on a phone, where rows are cards. */
export function SortSelect({ sorts }: { sorts: readonly Sort[] }) {
  const t = useTranslations('rows');
  const usual = sorts.find((sort) => sort.usual !== undefined)?.usual;
  const current = sorts.find(({ order }) => order !== undefined);
  const choices = sorts.flatMap((sort) => {
    const orders: Order[] = sort.first === 'oldest' ? ['oldest', 'newest'] : ['newest', 'oldest'];
    return orders.map((order) => ({
      value: `${sort.column} ${order}`,
      label: sort.texts[order],
      sort,
      order,
    }));
  });
  const choose = (value: string) => {
    const chosen = choices.find((one) => one.value === value);
    if (chosen) chosen.sort.onChange(chosen.order);
    else current?.onChange(undefined);
  };
  return (
    <NativeSelect
      className="sort-select"
      hiddenFrom="sm"
      size="xs"
      aria-label={t('order')}
      value={current ? `${current.column} ${current.order}` : ''}
      onChange={({ currentTarget: { value } }) => choose(value)}
      data={[
        ...(usual === undefined ? [] : [{ value: '', label: usual }]),
        ...choices.map(({ value, label }) => ({ value, label })),
      ]}
    />
  );
}
