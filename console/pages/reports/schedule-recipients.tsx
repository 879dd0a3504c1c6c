import { MultiSelect } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { nameOf } from '../../api/session.tsx';

type Props = { value: string[]; onChange: (value: string[]) => void };

/** Selects administrators who can get email, by searching for users. */
export function RecipientsField({ value, onChange }: Props) {
  const t = useTranslations('reports.schedules');
  const { $api } = useApi();
  const [sought, setSought] = useState('');
  const search = useDebouncedCallback(setSought, 200);
  const query = { Limit: 200, Enabled: true, ...(sought ? { Search: sought } : {}) };
  const found = $api.useQuery('get', '/user', { params: { query } });
  const able = found.data?.Items.filter(({ IsAdmin, Email }) => IsAdmin && Email) ?? [];
  const choices = new Map(value.map((login) => [login, login]));
  for (const user of able) choices.set(user.LoginID, `${nameOf(user)} (${user.Email})`);
  return (
    <MultiSelect
      label={t('recipients')}
      description={t('recipientsText')}
      placeholder={value.length === 0 ? t('findRecipient') : ''}
      data={[...choices].map(([value, label]) => ({ value, label }))}
      value={value}
      onChange={onChange}
      onSearchChange={search}
      searchable
      maxValues={10}
      required
      hidePickedOptions
      openOnFocus={false}
      nothingFoundMessage={t('noRecipient')}
      maxDropdownHeight={220}
    />
  );
}
