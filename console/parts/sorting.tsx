import { NativeSelect, UnstyledButton } from '@mantine/core';
import { IconArrowDown, IconArrowsSort, IconArrowUp } from '@tabler/icons-react';
import { useRef } from 'react';
import { useTranslations } from 'use-intl';

export type Order = 'newest' | 'oldest';
export const isOrder = (text: string | undefined): text is Order => text === 'newest' || text === 'oldest';

/** How a list is sorted by its only sortable column. */
export type Sort = {
  column: string;
  /** Undefined for the usual order, which is not by this column. */
  order: Order | undefined;
  onChange: (order: Order | undefined) => void;
  texts: Record<Order, string>;
  /** Describes the usual order, if there is one besides newest and oldest first. */
  usual?: string;
};

/** The header disappears while a list loads in its new order. This restores the focus if the header had it. */
export function useSortFocus(sort: Sort | undefined) {
  const hasSorted = useRef(false);
  if (!sort) return undefined;
  return {
    ...sort,
    onChange: (order: Order | undefined) => {
      hasSorted.current = true;
      sort.onChange(order);
    },
    ref: (button: HTMLButtonElement | null) => {
      if (button && hasSorted.current && document.activeElement === document.body) button.focus();
    },
  };
}

export type FocusedSort = NonNullable<ReturnType<typeof useSortFocus>>;

export const ariaSort = ({ order }: Sort) =>
  order === undefined ? 'none' : order === 'newest' ? 'descending' : 'ascending';

const icons = { newest: IconArrowDown, oldest: IconArrowUp, usual: IconArrowsSort };

/** A column header that changes the order. */
export function SortButton({ sort, header }: { sort: FocusedSort; header: string }) {
  const { ref, order, onChange, texts, usual } = sort;
  const next = order === undefined || (order === 'oldest' && !usual) ? 'newest' : 'oldest';
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
export function SortSelect({ sort: { order, onChange, texts, usual } }: { sort: Sort }) {
  const t = useTranslations('rows');
  return (
    <NativeSelect
      hiddenFrom="sm"
      size="xs"
      aria-label={t('order')}
      value={order ?? ''}
      onChange={({ currentTarget: { value } }) => onChange(isOrder(value) ? value : undefined)}
      data={[
        ...(usual === undefined ? [] : [{ value: '', label: usual }]),
        { value: 'newest', label: texts.newest },
        { value: 'oldest', label: texts.oldest },
      ]}
    />
  );
}
