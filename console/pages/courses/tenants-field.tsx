import { MultiSelect, Radio, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';

type TenantsFieldProps = {
  /** Null means all tenants. */
  value: readonly string[] | null;
  onChange: (value: string[] | null) => void;
};

/** The tenants that the course is offered to. */
export function TenantsField({ value, onChange }: TenantsFieldProps) {
  const t = useTranslations('courses.tenants');
  const { $api } = useApi();
  const [search, setSearch] = useState('');
  const [sought] = useDebouncedValue(search, 200);
  const isSome = value !== null;
  const { data } = $api.useQuery(
    'get',
    '/tenant',
    { params: { query: { Limit: 50, ...(sought ? { Search: sought } : {}) } } },
    { enabled: isSome },
  );
  const found = data?.Items ?? [];
  const names = new Map(found.map(({ TenantID, Name }) => [TenantID, Name]));
  const ids = [...new Set([...(value ?? []), ...names.keys()])];
  const labelOf = (id: string) => {
    const name = names.get(id);
    return name === undefined || name === id ? id : `${name} (${id})`;
  };
  return (
    <Stack gap="sm">
      <Radio.Group
        label={t('label')}
        description={t('text')}
        value={isSome ? 'some' : 'all'}
        onChange={(chosen) => onChange(chosen === 'some' ? [] : null)}
      >
        <Stack gap="sm" mt="xs">
          <Radio value="all" label={t('all')} />
          <Radio value="some" label={t('some')} />
        </Stack>
      </Radio.Group>
      {isSome && (
        <MultiSelect
          label={t('which')}
          searchable
          data={ids.map((id) => ({ value: id, label: labelOf(id) }))}
          value={[...value]}
          onChange={onChange}
          searchValue={search}
          onSearchChange={setSearch}
          nothingFoundMessage={t('nobody')}
          {...(value.length === 0 ? { description: t('empty') } : {})}
        />
      )}
    </Stack>
  );
}
