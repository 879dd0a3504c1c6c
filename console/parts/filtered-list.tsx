import { TextInput } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../api/api.tsx';
import { dataOf } from '../api/data.ts';
import { DownloadButton, withQuery } from './download.tsx';
import { FilterBar, SearchFilter, SelectFilter, useFilters } from './filters.tsx';
import { type Column, List } from './list.tsx';
import { paged, refreshed } from './paged.ts';
import { useSelection } from './selection.tsx';
import type { Sort } from './sorting.tsx';
import { NoneFound } from './states.tsx';

export type Query = Record<string, string | number | boolean | undefined>;

type FieldProps = {
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  className: 'filter';
};

/** A filter of a list: its name in the page's URL, what it asks the API for, and its field. */
export type ListFilter = {
  name: string;
  query: (value: string) => Query;
  field: (props: FieldProps) => ReactNode;
  /** Another filter that the API does not combine with this one. */
  replaces?: string;
  /** Set if the blank value finds those without one, such as people without a manager. */
  findsNone?: boolean;
  isHidden?: (values: Partial<Record<string, string>>) => boolean;
};

type Page<T> = {
  Items: T[];
  NextCursor: string | null;
  Count?: { Records: number; More: boolean };
};

export const searchFilter = (label: string): ListFilter => ({
  name: 'search',
  query: (Search) => ({ Search }),
  field: (props) => <SearchFilter label={label} {...props} />,
});

type ChosenQuery = { value: string; label: string; query: Query };

/** `values` lists the choices with their labels, and what each asks for. Any other value in the URL is ignored. */
export const choiceFilter = (
  name: string,
  label: string,
  values: readonly ChosenQuery[],
  /** The label of no choice, instead of “All”. */
  none?: string,
): ListFilter => ({
  name,
  query: (wanted) => values.find(({ value }) => value === wanted)?.query ?? {},
  field: (props) => (
    <SelectFilter label={label} options={[...values]} {...(none !== undefined && { none })} {...props} />
  ),
});

/** Days are those of the date field, YYYY-MM-DD. A time after the day stays in the URL. */
export const dayFilter = (name: string, label: string, query: (day: string) => Query): ListFilter => ({
  name,
  query,
  field: ({ value, onChange, className }) => (
    <TextInput
      type="date"
      label={label}
      value={value?.slice(0, 10) ?? ''}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
      className={className}
    />
  ),
});

type Values = Partial<Record<string, string>>;

/** What the filters ask the API for. */
export function queryOf(filters: readonly ListFilter[], values: Values): Query {
  const wanted: Query = {};
  for (const { name, query, isHidden, findsNone } of filters) {
    const value = values[name];
    if (value === undefined || isHidden?.(values)) continue;
    if (findsNone || value !== '') Object.assign(wanted, query(value));
  }
  return wanted;
}

/** The filters of a page in its URL, and what they ask the API for. `others` are kept in the URL as well. */
export function useListFilters(filters: readonly ListFilter[], others: readonly string[] = []) {
  const names = filters.map(({ name }) => name);
  const [values, change] = useFilters([...names, ...others]);
  const wanted = queryOf(filters, values);
  return {
    ...{ values, change, wanted, filters },
    isFiltered: Object.keys(wanted).length > 0,
    clear: () => change(Object.fromEntries([...names, ...others].map((name) => [name, undefined]))),
  };
}

export type ListFilters = ReturnType<typeof useListFilters>;

type Change = (change: Partial<Record<string, string | undefined>>) => void;

export const fieldsOf = (filters: readonly ListFilter[], values: Values, change: Change) =>
  filters
    .filter(({ isHidden }) => !isHidden?.(values))
    .map(({ name, field, replaces }) => (
      <Fragment key={name}>
        {field({
          value: values[name],
          onChange: (value) => change({ ...(value && replaces && { [replaces]: undefined }), [name]: value }),
          className: 'filter',
        })}
      </Fragment>
    ));

/** The fields of the filters, in one row. */
export function ListFilterBar({ at }: { at: ListFilters }) {
  const { filters, values, change, isFiltered, clear } = at;
  return (
    <FilterBar
      count={filters.slice(1).filter(({ name }) => values[name] !== undefined).length}
      onClear={isFiltered ? clear : undefined}
    >
      {fieldsOf(filters, values, change)}
    </FilterBar>
  );
}

type Options<T> = {
  path: string;
  at: ListFilters;
  /** The order, which counting and selecting do not need. */
  order?: Query;
  /** False if the API does not count the rows. */
  counts?: boolean;
  /** Set if the service adds rows while the list is open. */
  refreshes?: boolean;
  rowKey: (row: T) => string;
  /** Needed if rows can be ticked. */
  nameOf?: (row: T) => string;
};

/** The rows of a filtered list, how many there are in all, and those that are ticked. */
export function useListRows<T>(options: Options<T>) {
  const { path, at, order = {}, counts = true, refreshes = false, rowKey, nameOf = rowKey } = options;
  const { headers } = useApi();
  const query = { ...at.wanted, ...order };
  const read = async (query: Query, signal: AbortSignal): Promise<Page<T>> =>
    dataOf(
      fetch(withQuery(path, query), { headers, signal }).then(async (response) => {
        const body = await response.json();
        return response.ok ? { data: body, response } : { error: body, response };
      }),
    );
  const { getNextPageParam } = paged;
  const list = useInfiniteQuery({
    queryKey: ['rows', path, query],
    queryFn: ({ pageParam, signal }) => read({ ...query, Cursor: pageParam }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam,
    ...(refreshes && { refetchInterval: refreshed.refetchInterval }),
  });
  const { data: all } = useQuery({
    queryKey: ['rows', path, at.wanted, 'count'],
    queryFn: ({ signal }) => read({ ...at.wanted, Limit: 1, Count: true }, signal),
    enabled: counts && list.hasNextPage,
  });
  const count = list.hasNextPage ? all?.Count : undefined;
  const ticked = useSelection<T>({ rowKey, nameOf, path, query: at.wanted, all: count?.Records });
  return { ...{ path, query, list, count, ticked, at, rowKey } };
}

export type ListRows<T> = ReturnType<typeof useListRows<T>>;

type FilteredListProps<T> = {
  label: string;
  rows: ListRows<T>;
  columns: readonly Column<T>[];
  sorts?: readonly Sort[];
  isSelectable?: boolean;
  /** Shown if there are no rows at all. */
  none: ReactNode;
  noneFound: { title: string; text: string };
};

export function FilteredList<T>(props: FilteredListProps<T>) {
  const { label, rows, columns, sorts = [], isSelectable = false, none, noneFound } = props;
  const { list, count, ticked, at, rowKey } = rows;
  return (
    <List
      {...{ label, columns, sorts, count, rowKey }}
      {...(isSelectable && { selection: ticked.selection })}
      query={list}
      empty={at.isFiltered ? <NoneFound {...noneFound} onShowAll={at.clear} /> : none}
    />
  );
}

/** Saves all rows that match the filters. */
export function CsvButton<T>({ rows: { path, query } }: { rows: Pick<ListRows<T>, 'path' | 'query'> }) {
  const t = useTranslations('list');
  return (
    <DownloadButton
      path={withQuery(path, query)}
      accept="text/csv"
      name={`${path.split('/').at(-1)}s.csv`}
      text={t('csv')}
    />
  );
}
