import { Button, Group, Paper, Text } from '@mantine/core';
import { IconMailForward, IconPlus } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { nameOf } from '../../api/session.tsx';
import { DownloadButton, withQuery } from '../../parts/download.tsx';
import { FilterBar, SearchFilter, SelectFilter, useFilters } from '../../parts/filters.tsx';
import { type Column, List, paged } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Message, NoneFound } from '../../parts/states.tsx';
import { Instant } from '../../parts/values.tsx';
import { EnrolGroupButton } from './enrol-group-button.tsx';
import { GroupFilter } from './group.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { AccountBadges, LoginID, type User, UserLink } from './person.tsx';
import { UserDialog } from './user-dialog.tsx';

const names = ['search', 'group', 'enabled'] as const;

function useColumns(): Column<User>[] {
  const t = useTranslations('users');
  return [
    {
      key: 'name',
      header: t('name'),
      cell: (user) => (
        <>
          <UserLink loginId={user.LoginID}>{nameOf(user)}</UserLink>
          <LoginID name={nameOf(user)} loginId={user.LoginID} />
        </>
      ),
    },
    { key: 'email', header: t('email'), cell: ({ Email }) => <span className="break">{Email ?? '–'}</span> },
    {
      key: 'group',
      header: t('group'),
      cell: ({ GroupName }) => <span className="break">{GroupName ?? '–'}</span>,
    },
    {
      key: 'account',
      header: t('account'),
      cell: (user) => (user.Enabled && !user.IsAdmin ? t('enabled') : <AccountBadges user={user} />),
    },
    { key: 'created', header: t('created'), cell: ({ CreatedAt }) => <Instant at={CreatedAt} /> },
  ];
}

export default function Users() {
  const t = useTranslations('users');
  const shell = useTranslations('shell');
  const { $api } = useApi();
  const navigate = useNavigate();
  const [filters, change] = useFilters(names);
  const [isCreating, setCreating] = useState(false);
  const [chosen, choose] = useState<ReadonlyMap<string, User>>(new Map());
  const [isInviting, setInviting] = useState(false);
  const columns = useColumns();
  const query = {
    ...(filters.search ? { Search: filters.search } : {}),
    ...(filters.group ? { GroupName: filters.group } : {}),
    ...(filters.enabled ? { Enabled: filters.enabled === 'true' } : {}),
  };
  const users = $api.useInfiniteQuery('get', '/user', { params: { query } }, paged);
  const isFiltered = Object.keys(query).length > 0;
  const clear = () => change({ search: undefined, group: undefined, enabled: undefined });
  return (
    <Page
      title={shell('pages.users')}
      actions={
        <>
          <DownloadButton
            path={withQuery('/user', query)}
            accept="text/csv"
            name="users.csv"
            text={t('csv')}
          />
          {filters.group && <EnrolGroupButton group={filters.group} />}
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
            {t('create')}
          </Button>
        </>
      }
    >
      <FilterBar
        count={(filters.group ? 1 : 0) + (filters.enabled ? 1 : 0)}
        onClear={isFiltered ? clear : undefined}
      >
        <SearchFilter label={t('search')} value={filters.search} onChange={(search) => change({ search })} />
        <GroupFilter value={filters.group} onChange={(group) => change({ group })} />
        <SelectFilter
          label={t('account')}
          value={filters.enabled}
          onChange={(enabled) => change({ enabled })}
          options={[
            { value: 'true', label: t('enabled') },
            { value: 'false', label: t('disabled') },
          ]}
        />
      </FilterBar>
      {chosen.size > 0 && (
        <Paper withBorder className="chosen" role="region" aria-label={t('chosenLabel')}>
          <Text size="sm" fw={600} role="status">
            {t('chosen', { count: chosen.size })}
          </Text>
          <Group gap="xs">
            <Button variant="default" size="xs" onClick={() => choose(new Map())}>
              {t('chooseNone')}
            </Button>
            <Button
              size="xs"
              leftSection={<IconMailForward size={16} aria-hidden />}
              onClick={() => setInviting(true)}
            >
              {t('inviteChosen', { count: chosen.size })}
            </Button>
          </Group>
        </Paper>
      )}
      <List
        label={shell('pages.users')}
        selection={{ chosen, change: choose, nameOf }}
        query={users}
        columns={columns}
        rowKey={({ LoginID }) => LoginID}
        empty={
          isFiltered ? (
            <NoneFound title={t('noneFound')} text={t('noneFoundText')} onShowAll={clear} />
          ) : (
            <Message title={t('none')} text={t('noneText')}>
              <Button onClick={() => setCreating(true)}>{t('create')}</Button>
            </Message>
          )
        }
      />
      {isInviting && (
        <InviteDialog
          users={[...chosen.values()]}
          onClose={() => {
            setInviting(false);
            choose(new Map());
          }}
        />
      )}
      <UserDialog
        user={null}
        isOpen={isCreating}
        onClose={() => setCreating(false)}
        onSaved={({ LoginID }) =>
          navigate({ to: '/console/users/$loginId', params: { loginId: LoginID }, search: {} })
        }
      />
    </Page>
  );
}
