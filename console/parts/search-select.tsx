import { Loader, Select, type SelectProps, Stack, Text } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useTranslations } from 'use-intl';

export type Choice = { value: string; label: string; text?: string };

type Props = {
  label: string;
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  /** The search results, which may or may not include the selected record. */
  choices: readonly Choice[];
  /** Queries the service after a pause in typing. */
  onSearch: (text: string) => void;
  isFetching: boolean;
  placeholder?: string;
  className?: string;
} & Pick<SelectProps, 'required' | 'description'>;

/** Selects one of many records by searching. */
export function SearchSelect({ value, onChange, choices, onSearch, isFetching, ...props }: Props) {
  const t = useTranslations('list');
  const search = useDebouncedCallback(onSearch, 200);
  const chosen = choices.find((choice) => choice.value === value);
  const known = value === undefined || chosen ? choices : [{ value, label: value }, ...choices];
  const texts = new Map(choices.map((choice) => [choice.value, choice.text]));
  return (
    <Select
      {...props}
      value={value ?? null}
      onChange={(wanted) => onChange(wanted ?? undefined)}
      data={known.map(({ value, label }) => ({ value, label }))}
      // The service has already filtered the choices.
      filter={({ options }) => options}
      onSearchChange={(text) => search(text === (chosen?.label ?? value) ? '' : text)}
      searchable
      // A dialog focuses its first field when it opens; only typing, a click or an arrow key opens the list.
      openOnFocus={false}
      clearable
      clearButtonProps={{ 'aria-label': t('clearChoice'), 'aria-hidden': false, tabIndex: 0 }}
      nothingFoundMessage={isFetching ? <Loader size={16} /> : t('nothingFound')}
      renderOption={({ option }) => (
        <Stack gap={0}>
          <Text size="sm" className="break">
            {option.label}
          </Text>
          {texts.get(option.value) && (
            <Text size="xs" c="dimmed" className="break">
              {texts.get(option.value)}
            </Text>
          )}
        </Stack>
      )}
      maxDropdownHeight={280}
    />
  );
}
