import { Button, CloseButton, Group, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks';
import { IconAdjustmentsHorizontal, IconSearch } from '@tabler/icons-react';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { Children, type ReactNode, useEffect, useId, useState } from 'react';
import { useTranslations } from 'use-intl';
import type { Search } from '../url-state.ts';

type Filters<Name extends string> = Partial<Record<Name, string>>;

/** The named filters are part of the page's URL, so a view can be bookmarked and shared. */
export function useFilters<Name extends string>(
  names: readonly Name[],
): [Filters<Name>, (change: { [K in Name]?: string | undefined }) => void] {
  const search: Search = useLocation().search;
  const navigate = useNavigate();
  const given = names.filter((name) => search[name] !== undefined).map((name) => [name, search[name]]);
  const filters = Object.fromEntries(given) as Filters<Name>;
  const change = (changed: { [K in Name]?: string | undefined }) =>
    void navigate({
      to: '.',
      replace: true,
      search: (before: object) => ({ ...before, ...changed }) as never,
    });
  return [filters, change];
}

/** More filters than this would take a second line on a laptop, where the rows of the list are needed. */
const maxInRow = 5;

/** A row of filters, with a button to clear them. A button shows those without space: on a phone, all but the first. */
export function FilterBar({
  children,
  count,
  onClear,
}: {
  children: ReactNode;
  /** How many of the filters behind the button are set. */
  count: number;
  onClear?: (() => void) | undefined;
}) {
  const t = useTranslations('list');
  const [isOpen, { toggle }] = useDisclosure(false);
  const [first, ...others] = Children.toArray(children);
  const extra = others.slice(maxInRow - 1);
  return (
    <Group gap="sm" align="flex-end" role="search" className="filters">
      {first}
      {others.length > 0 && (
        <Button
          variant="default"
          {...(extra.length === 0 && { hiddenFrom: 'sm' })}
          leftSection={<IconAdjustmentsHorizontal size={16} aria-hidden />}
          aria-expanded={isOpen}
          onClick={toggle}
        >
          {t('filters', { count })}
        </Button>
      )}
      <div className="more-filters" data-open={isOpen || undefined}>
        {others.slice(0, maxInRow - 1)}
        <div className="extra-filters" data-open={isOpen || undefined}>
          {extra}
        </div>
      </div>
      {onClear && (
        <Button variant="subtle" onClick={onClear}>
          {t('clear')}
        </Button>
      )}
    </Group>
  );
}

type SearchProps = {
  label: string;
  placeholder?: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  suggestions?: readonly string[];
};

/** Searches after a pause in typing, not after each keystroke. */
export function SearchFilter({ label, placeholder = '', value = '', onChange, suggestions }: SearchProps) {
  const t = useTranslations('list');
  const listId = useId();
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const applyFilter = useDebouncedCallback((wanted: string) => onChange(wanted || undefined), 250);
  const set = (wanted: string) => {
    setText(wanted);
    applyFilter(wanted);
  };
  return (
    <>
      <TextInput
        label={label}
        placeholder={placeholder}
        {...(suggestions && { list: listId })}
        value={text}
        onChange={(event) => set(event.currentTarget.value)}
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={text && <CloseButton size="sm" aria-label={t('clearSearch')} onClick={() => set('')} />}
        className="filter"
      />
      {suggestions && (
        <datalist id={listId}>
          {suggestions.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
    </>
  );
}

type Option = { value: string; label: string };

type SelectProps = SearchProps & {
  options: readonly (Option | { group: string; items: Option[] })[];
  /** The label of no choice, instead of “All”. */
  none?: string;
  /** Set if there is no "all" option. */
  isRequired?: boolean;
};

/** Filters by one of a few values, or shows all. */
export function SelectFilter({ label, value = '', onChange, options, none, isRequired }: SelectProps) {
  const t = useTranslations('list');
  return (
    <NativeSelect
      label={label}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value || undefined)}
      data={[...(isRequired ? [] : [{ value: '', label: none ?? t('all') }]), ...options]}
      className="filter"
    />
  );
}

type Period = { from?: string | undefined; until?: string | undefined };

/** Filters by times, in the browser's time zone. */
export function PeriodFilter({
  labels,
  values,
  onChange,
}: {
  labels: Required<Period>;
  values: Period;
  onChange: (change: Period) => void;
}) {
  return (['from', 'until'] as const).map((bound) => (
    <TextInput
      key={bound}
      type="datetime-local"
      label={labels[bound]}
      value={values[bound] ?? ''}
      onChange={(event) => onChange({ [bound]: event.currentTarget.value || undefined })}
      className="filter"
    />
  ));
}
