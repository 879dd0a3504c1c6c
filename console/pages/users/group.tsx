import { Autocomplete, TagsInput } from '@mantine/core';
import { useDebouncedCallback, useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { SearchSelect } from '../../parts/search-select.tsx';

function useGroups(Search: string) {
  const { $api } = useApi();
  const query = { Limit: 20, ...(Search ? { Search } : {}) };
  const { data, isFetching } = $api.useQuery('get', '/group', { params: { query } });
  return { names: data?.Items.map(({ GroupName }) => GroupName) ?? [], isFetching };
}

type PickerProps = {
  value: string | undefined;
  onChange: (value: string | undefined) => void;
  required?: boolean;
  placeholder?: string;
  className?: string;
};

/** Filters users by group. */
export function GroupFilter(props: PickerProps) {
  const t = useTranslations('users');
  const placeholder = t(props.value === '' ? 'noGroup' : 'anyGroup');
  return <GroupPicker placeholder={placeholder} className="filter" {...props} />;
}

/** Selects an existing group. */
export function GroupPicker(props: PickerProps) {
  const t = useTranslations('users');
  const [sought, setSought] = useState('');
  const { names, isFetching } = useGroups(sought);
  return (
    <SearchSelect
      label={t('group')}
      choices={names.map((name) => ({ value: name, label: name }))}
      onSearch={setSought}
      isFetching={isFetching}
      {...props}
    />
  );
}

type FieldProps = { values: readonly string[]; onChange: (values: string[]) => void; label?: string };

/** Groups may be new, so existing ones are only suggestions. */
export function GroupsField({ values, onChange, ...props }: FieldProps) {
  const t = useTranslations('users');
  const [sought, setSought] = useState('');
  const { names } = useGroups(sought);
  const search = useDebouncedCallback(setSought, 200);
  return (
    <TagsInput
      label={t('groups')}
      value={[...values]}
      onChange={onChange}
      data={names}
      onSearchChange={search}
      maxLength={255}
      splitChars={[';', '\n']}
      acceptValueOnBlur
      {...props}
    />
  );
}

type OneProps = { value: string; onChange: (value: string) => void; required?: boolean };

/** The group may be new, so existing ones are only suggestions. */
export function GroupField({ value, onChange, required = false }: OneProps) {
  const t = useTranslations('users');
  const [sought] = useDebouncedValue(value, 200);
  const { names } = useGroups(sought);
  return (
    <Autocomplete
      label={t('group')}
      value={value}
      onChange={onChange}
      data={names}
      maxLength={255}
      required={required}
    />
  );
}
