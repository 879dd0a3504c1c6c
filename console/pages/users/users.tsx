import { Button, Menu } from '@mantine/core';
import { IconDotsVertical, IconMailForward, IconPlus, IconUserPlus } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { nameOf } from '../../api/session.tsx';
import { useAction } from '../../parts/action.tsx';
import {
  CsvButton,
  choiceFilter,
  FilteredList,
  ListFilterBar,
  searchFilter,
  useListFilters,
  useListRows,
} from '../../parts/filtered-list.tsx';
import { useFilters } from '../../parts/filters.tsx';
import type { Column } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { SelectionBar } from '../../parts/selection.tsx';
import { isOrder, type Order } from '../../parts/sorting.tsx';
import { FailedAction, Message } from '../../parts/states.tsx';
import { Instant, None } from '../../parts/values.tsx';
import { useEnrolSelected } from '../enrol/selected.ts';
import { EmailCell } from './bounce.tsx';
import { type Change, ChangeUsersDialog } from './change-users.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { usePeopleFilters } from './people-filters.tsx';
import { AccountBadges, LoginID, type User, UserLink } from './person.tsx';
import { UserDialog } from './user-dialog.tsx';

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
      header: t('groups'),
      share: 20,
      cell: ({ Groups }) => <span className="break">{Groups.join(', ') || <None />}</span>,
    },
    {
      key: 'account',
      header: t('account'),
      onPhone: 'aside',
      cell: (user) => (user.Enabled && !user.IsAdmin ? t('enabled') : <AccountBadges user={user} />),
    },
    {
      key: 'created',
      header: t('created'),
      onPhone: 'hidden',
      cell: ({ CreatedAt }) => <Instant at={CreatedAt} isDay />,
    },
  ];
}

export default function Users() {
  const t = useTranslations('users');
  const shell = useTranslations('shell');
  const navigate = useNavigate();
  const [{ create }, setCreate] = useFilters(['create']);
  const isCreating = create !== undefined;
  const setCreating = (isOpen: boolean) => setCreate({ create: isOpen ? 'true' : undefined });
  const enrolSelected = useEnrolSelected();
  const [inviting, setInviting] = useState<readonly User[] | null>(null);
  const [changing, setChanging] = useState<Change | null>(null);
  const columns = useColumns();
  const at = useListFilters(
    [
      searchFilter(t('search')),
      ...usePeopleFilters(),
      choiceFilter('enabled', t('account'), [
        { value: 'true', label: t('enabled'), query: { Enabled: true } },
        { value: 'false', label: t('disabled'), query: { Enabled: false } },
      ]),
    ],
    ['order'],
  );
  const { search, order: asked } = at.values;
  // A search has its own order.
  const order = !search && isOrder(asked) ? asked : undefined;
  const rows = useListRows<User>({
    ...{ path: '/user', at, nameOf },
    rowKey: ({ LoginID }) => LoginID,
    order: { Order: order },
  });
  const { ticked } = rows;
  const { count } = ticked;
  const sort = {
    column: 'created',
    order,
    onChange: (order: Order | undefined) => at.change({ order }),
    texts: { newest: t('orders.newest'), oldest: t('orders.oldest') },
    usual: t('byLoginId'),
  };
  const enrolling = useAction(async () => {
    const chosen = await ticked.read();
    await ticked.keep();
    await enrolSelected(chosen.map(({ LoginID }) => LoginID));
  });
  const reading = useAction(async () => setInviting(await ticked.read()));
  return (
    <Page
      title={shell('pages.users')}
      actions={
        <>
          <CsvButton rows={rows} />
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
            {t('create')}
          </Button>
        </>
      }
    >
      <ListFilterBar at={at} />
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
      <FilteredList
        label={shell('pages.users')}
        rows={rows}
        columns={columns}
        sorts={search ? [] : [sort]}
        isSelectable
        noneFound={{ title: t('noneFound'), text: t('noneFoundText') }}
        none={
          <Message title={t('none')} text={t('noneText')}>
            <Button onClick={() => setCreating(true)}>{t('create')}</Button>
          </Message>
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
