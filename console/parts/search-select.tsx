import { Loader, MultiSelect, Select, type SelectProps, Stack, Text } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

export type Choice = { value: string; label: string; text?: string };

type Props = {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  /** The search results, which may or may not include the selected record. */
  choices: readonly Choice[];
  /** The names of selected records. */
  names?: ReadonlyMap<string, string>;
  /** Queries the service after a pause in typing. */
  onSearch: (text: string) => void;
  isFetching: boolean;
  placeholder?: string;
  className?: string;
} & Pick<SelectProps, 'required' | 'description'>;

/** Shows a second line below the name. */
const optionOf =
  (texts: ReadonlyMap<string, string | undefined>) =>
  ({ option: { value, label } }: { option: { value: string; label: string } }) => (
    <Stack gap={0}>
      <Text size="sm" className="break">
        {label}
      </Text>
      {texts.get(value) && (
        <Text size="xs" c="dimmed" className="break">
          {texts.get(value)}
        </Text>
      )}
    </Stack>
  );

/** While text is being typed, the choices are those of an earlier text, so none of them is offered. */
function useSearch({ onSearch, isFetching }: Pick<Props, 'onSearch' | 'isFetching'>) {
  const t = useTranslations('list');
  const [isTyping, setTyping] = useState(false);
  const query = useDebouncedCallback((text: string) => {
    setTyping(false);
    onSearch(text);
  }, 200);
  const search = (text: string) => {
    setTyping(text !== '');
    query(text);
  };
  const nothingFoundMessage = isTyping || isFetching ? <Loader size={16} /> : t('nothingFound');
  return { isTyping, search, nothingFoundMessage };
}

/** Selects one of many records by searching. */
export function SearchSelect({ value, onChange, choices, names, onSearch, isFetching, ...props }: Props) {
  const t = useTranslations('list');
  const { isTyping, search, nothingFoundMessage } = useSearch({ onSearch, isFetching });
  const chosen = choices.find((choice) => choice.value === value);
  const label = chosen?.label ?? names?.get(value ?? '') ?? value;
  const known = value === undefined || chosen ? choices : [{ value, label: label ?? value }, ...choices];
  const texts = new Map(choices.map((choice) => [choice.value, choice.text]));
  return (
    <Select
      {...props}
      value={value ?? null}
      onChange={(wanted) => onChange(wanted ?? undefined)}
      data={known.map(({ value, label }) => ({ value, label }))}
      // The service has already filtered the choices.
      filter={({ options }) => (isTyping ? [] : options)}
      onSearchChange={(text) => search(text === label ? '' : text)}
      searchable
      // A dialog focuses its first field when it opens; only typing, a click or an arrow key opens the list.
      openOnFocus={false}
      clearable
      clearButtonProps={{ 'aria-label': t('clearChoice'), 'aria-hidden': false, tabIndex: 0 }}
      nothingFoundMessage={nothingFoundMessage}
      renderOption={optionOf(texts)}
      maxDropdownHeight={280}
      // In a page, the choices stay in its main landmark. A dialog would cut them off.
      comboboxProps={{ withinPortal: props.className !== 'filter' }}
    />
  );
}

type MultiProps = Omit<Props, 'value' | 'onChange' | 'required'> & {
  values: readonly string[];
  onChange: (values: string[]) => void;
  max?: number;
};

/** Selects several of many records by searching. */
export function SearchMultiSelect(given: MultiProps) {
  const { values, choices, names: found = [], onSearch, isFetching, max, ...props } = given;
  const { isTyping, search, nothingFoundMessage } = useSearch({ onSearch, isFetching });
  // Search results change, but the names of those selected stay known.
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  const labels = new Map([...names, ...found, ...choices.map(({ value, label }) => [value, label] as const)]);
  const known = new Set(choices.map(({ value }) => value));
  const texts = new Map(choices.map((choice) => [choice.value, choice.text]));
  return (
    <MultiSelect
      {...props}
      value={[...values]}
      onChange={(wanted) => {
        setNames(labels);
        props.onChange(max === undefined ? wanted : wanted.slice(-max));
      }}
      data={[
        ...values
          .filter((value) => !known.has(value))
          .map((value) => ({ value, label: labels.get(value) ?? value })),
        ...choices.map(({ value, label }) => ({ value, label })),
      ]}
      filter={({ options }) => options.filter((one) => !isTyping && 'value' in one && known.has(one.value))}
      onSearchChange={search}
      searchable
      openOnFocus={false}
      hidePickedOptions
      nothingFoundMessage={nothingFoundMessage}
      renderOption={optionOf(texts)}
      maxDropdownHeight={280}
    />
  );
}
