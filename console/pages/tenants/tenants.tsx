import { Anchor, Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { FilterBar, SearchFilter, useFilters } from '../../parts/filters.tsx';
import { List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { paged } from '../../parts/paged.ts';
import { Message, NoneFound } from '../../parts/states.tsx';
import { Instant } from '../../parts/values.tsx';
import { TenantStatus } from './lifecycle.tsx';
import { NewTenantDialog } from './tenant-dialog.tsx';
import { TenantLink } from './tenant-link.tsx';

export default function Tenants() {
  const t = useTranslations('tenants');
  const { $api } = useApi();
  const [filters, change] = useFilters(['search']);
  const [isOpen, setOpen] = useState(false);
  const wanted = filters.search ? { Search: filters.search } : {};
  const query = $api.useInfiniteQuery('get', '/tenant', { params: { query: wanted } }, paged);
  const counted = { params: { query: { ...wanted, Limit: 1, Count: true } } };
  const { data: all } = $api.useQuery('get', '/tenant', counted, { enabled: query.hasNextPage });
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen(true)}>
      {t('create')}
    </Button>
  );
  const isFiltered = filters.search !== undefined;
  const clear = () => change({ search: undefined });
  return (
    <Page title={t('title')} text={t('text')} actions={create}>
      <FilterBar count={0} onClear={isFiltered ? clear : undefined}>
        <SearchFilter label={t('search')} value={filters.search} onChange={(search) => change({ search })} />
      </FilterBar>
      <List
        label={t('title')}
        query={query}
        count={all?.Count}
        rowKey={({ TenantID }) => TenantID}
        columns={[
          {
            key: 'name',
            header: t('name'),
            share: 36,
            cell: ({ TenantID, Name }) => <TenantLink tenantId={TenantID} name={Name} />,
          },
          { key: 'id', header: t('tenantId'), share: 26, cell: ({ TenantID }) => TenantID },
          { key: 'sign-in', header: t('signIn'), cell: ({ PasswordHash }) => t(`signInBy.${PasswordHash}`) },
          {
            key: 'status',
            header: t('status'),
            onPhone: 'aside',
            cell: ({ Status }) => <TenantStatus status={Status} />,
          },
          {
            key: 'created',
            header: t('createdAt'),
            onPhone: 'hidden',
            cell: ({ CreatedAt }) => <Instant at={CreatedAt} />,
          },
          {
            key: 'act',
            header: t('act'),
            isActions: true,
            align: 'end',
            cell: ({ TenantID, Name }) => (
              <Anchor
                size="sm"
                aria-label={`${t('act')}: ${Name}`}
                renderRoot={(props) => <Link to="/console" search={{ tenant: TenantID }} {...props} />}
              >
                {t('act')}
              </Anchor>
            ),
          },
        ]}
        empty={
          isFiltered ? (
            <NoneFound title={t('notFound')} text={t('notFoundText')} onShowAll={clear} />
          ) : (
            <Message title={t('none')} text={t('noneText')}>
              {create}
            </Message>
          )
        }
      />
      <NewTenantDialog isOpen={isOpen} onClose={() => setOpen(false)} />
    </Page>
  );
}
