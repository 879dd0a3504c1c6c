import { Button, Menu } from '@mantine/core';
import { IconDotsVertical, IconMailForward, IconPlus, IconUserPlus } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { nameOf } from '../../api/session.tsx';
import { useAction } from '../../parts/action.tsx';
import { DownloadButton, withQuery } from '../../parts/download.tsx';
import { FilterBar, SearchFilter, SelectFilter, useFilters } from '../../parts/filters.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { paged } from '../../parts/paged.ts';
import { SelectionBar, useSelection } from '../../parts/selection.tsx';
import { isOrder, type Order } from '../../parts/sorting.tsx';
import { FailedAction, Message, NoneFound } from '../../parts/states.tsx';
import { Instant } from '../../parts/values.tsx';
import { useEnrolSelected } from '../enrol/selected.ts';
import { EmailCell } from './bounce.tsx';
import { type Change, ChangeUsersDialog } from './change-users.tsx';
import { GroupFilter } from './group.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { AccountBadges, LoginID, type User, UserLink } from './person.tsx';
import { UserDialog } from './user-dialog.tsx';

const names = ['search', 'group', 'enabled', 'order'] as const;

function useColumns(): Column<User>[] {
  const t = useTranslations('users');
  return [
    {
      key: 'name',
      header: t('name'),
      share: 34,
      cell: (user) => (
        <>
          <UserLink loginId={user.LoginID}>{nameOf(user)}</UserLink>
          <LoginID name={nameOf(user)} loginId={user.LoginID} />
        </>
      ),
    },
    { key: 'email', header: t('email'), share: 30, cell: (user) => <EmailCell user={user} /> },
    {
      key: 'group',
      header: t('group'),
      share: 20,
      cell: ({ GroupName }) => <span className="break">{GroupName ?? '–'}</span>,
    },
    {
      key: 'account',
      header: t('account'),
      cell: (user) => (user.Enabled && !user.IsAdmin ? t('enabled') : <AccountBadges user={user} />),
    },
    { key: 'created', header: t('created'), cell: ({ CreatedAt }) => <Instant at={CreatedAt} isDay /> },
  ];
}

export default function Users() {
  const t = useTranslations('users');
  const shell = useTranslations('shell');
  const { $api } = useApi();
  const navigate = useNavigate();
  const [filters, change] = useFilters(names);
  const [{ create }, setCreate] = useFilters(['create']);
  const isCreating = create !== undefined;
  const setCreating = (isOpen: boolean) => setCreate({ create: isOpen ? 'true' : undefined });
  const enrolSelected = useEnrolSelected();
  const [inviting, setInviting] = useState<readonly User[] | null>(null);
  const [changing, setChanging] = useState<Change | null>(null);
  const columns = useColumns();
  const wanted = {
    ...(filters.search ? { Search: filters.search } : {}),
    ...(filters.group ? { GroupName: filters.group } : {}),
    ...(filters.enabled ? { Enabled: filters.enabled === 'true' } : {}),
  };
  // A search has its own order.
  const order = !filters.search && isOrder(filters.order) ? filters.order : undefined;
  const query = { ...wanted, ...(order ? { Order: order } : {}) };
  const users = $api.useInfiniteQuery('get', '/user', { params: { query } }, paged);
  const counted = { params: { query: { ...wanted, Limit: 1, Count: true } } };
  const { data: all } = $api.useQuery('get', '/user', counted, { enabled: users.hasNextPage });
  const ticked = useSelection<User>({
    rowKey: ({ LoginID }) => LoginID,
    nameOf,
    path: '/user',
    query: wanted,
    all: users.hasNextPage ? all?.Count?.Records : undefined,
  });
  const { count } = ticked;
  const isFiltered = Object.keys(wanted).length > 0;
  const sort = {
    column: 'created',
    order,
    onChange: (order: Order | undefined) => change({ order }),
    texts: { newest: t('orders.newest'), oldest: t('orders.oldest') },
    usual: t('byLoginId'),
  };
  const enrolling = useAction(async () => {
    const chosen = await ticked.read();
    await ticked.keep();
    await enrolSelected(chosen.map(({ LoginID }) => LoginID));
  });
  const reading = useAction(async () => setInviting(await ticked.read()));
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
      <SelectionBar label={t('chosenLabel')} text={(count) => t('chosen', { count })} ticked={ticked}>
        <Menu position="bottom-end">
          <Menu.Target>
            <Button variant="default" size="xs" rightSection={<IconDotsVertical size={14} aria-hidden />}>
              {t('more')}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {(['group', 'disable', 'enable'] as const).map((change) => (
              <Menu.Item key={change} onClick={() => setChanging(change)}>
                {t(`many.${change}`)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconMailForward size={16} aria-hidden />}
          loading={reading.isRunning}
          onClick={() => void reading.run()}
        >
          {t('inviteChosen', { count })}
        </Button>
        <Button
          size="xs"
          leftSection={<IconUserPlus size={16} aria-hidden />}
          loading={enrolling.isRunning}
          onClick={() => void enrolling.run()}
        >
          {t('enrolChosen', { count })}
        </Button>
      </SelectionBar>
      <FailedAction error={reading.error ?? enrolling.error} />
      <List
        label={shell('pages.users')}
        selection={ticked.selection}
        count={all?.Count}
        sorts={filters.search ? [] : [sort]}
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
      {inviting && (
        <InviteDialog
          users={inviting}
          onClose={() => {
            setInviting(null);
            ticked.clear();
          }}
        />
      )}
      {changing && (
        <ChangeUsersDialog
          change={changing}
          read={ticked.read}
          count={count}
          onClose={() => {
            setChanging(null);
            ticked.clear();
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
