import { Combobox, Group, Input, InputBase, Loader, Stack, Text, useCombobox } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../api/api.tsx';
import { Page } from '../parts/page.tsx';
import { navigationPageOf } from './navigation.ts';

/** Sets the tenant that the operator acts on, which is part of every page's URL. */
export function TenantSwitcher() {
  const t = useTranslations('shell');
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const { tenant = null } = useSearch({ strict: false });
  const [search, setSearch] = useState('');
  const [sought] = useDebouncedValue(search, 200);
  const { $api } = useApi();
  const combobox = useCombobox({ onDropdownClose: () => setSearch('') });
  const found = $api.useQuery(
    'get',
    '/tenant',
    { params: { query: { Limit: 20, ...(sought ? { Search: sought } : {}) } } },
    { enabled: combobox.dropdownOpened },
  );
  // The tenants found match an earlier text while another is being typed.
  const isTyping = search !== sought;
  const tenants = isTyping ? undefined : found.data?.Items;
  const choose = (value: string) => {
    combobox.closeDropdown();
    // Filters and records of one tenant do not exist in another.
    void navigate({
      to: navigationPageOf(pathname)?.to ?? '/console',
      search: value ? { tenant: value } : { tenant: undefined },
    });
  };
  return (
    <Combobox store={combobox} onOptionSubmit={choose} withinPortal>
      <Combobox.Target withExpandedAttribute>
        <InputBase
          role="combobox"
          label={t('tenant')}
          size="sm"
          rightSection={found.isFetching || isTyping ? <Loader size={14} /> : <Combobox.Chevron />}
          rightSectionPointerEvents="none"
          placeholder={t('allTenants')}
          value={combobox.dropdownOpened ? search : (tenant ?? '')}
          onClick={() => combobox.openDropdown()}
          onFocus={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
          onChange={(event) => {
            setSearch(event.currentTarget.value);
            combobox.openDropdown();
            combobox.updateSelectedOptionIndex();
          }}
        />
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Options aria-label={t('chooseTenantTitle')} mah={280} style={{ overflowY: 'auto' }}>
          {tenant !== null && <Combobox.Option value="">{t('allTenants')}</Combobox.Option>}
          {tenants?.map(({ TenantID, Name }) => (
            <Combobox.Option value={TenantID} key={TenantID}>
              <Group gap="xs" wrap="nowrap">
                <Text size="sm">{Name}</Text>
                {Name !== TenantID && <Input.Description>{TenantID}</Input.Description>}
              </Group>
            </Combobox.Option>
          ))}
          {tenants?.length === 0 && <Combobox.Empty>{t('noTenants')}</Combobox.Empty>}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}

export function ChooseTenant() {
  const t = useTranslations('shell');
  return (
    <Page title={t('chooseTenantTitle')}>
      <Stack maw={420}>
        <Text c="dimmed">{t('chooseTenantText')}</Text>
        <TenantSwitcher />
      </Stack>
    </Page>
  );
}
