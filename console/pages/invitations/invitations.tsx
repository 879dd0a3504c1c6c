import { Badge, Button, Group } from '@mantine/core';
import { IconMailForward, IconX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { nameOf } from '../../api/session.tsx';
import { ConfirmButton } from '../../parts/action.tsx';
import { FilterBar, SelectFilter, useFilters } from '../../parts/filters.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { paged } from '../../parts/paged.ts';
import { Message, NoneFound } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { Instant } from '../../parts/values.tsx';
import { invitationColors } from '../users/invitation-value.tsx';
import { InviteDialog } from '../users/invite-dialog.tsx';
import { ListedUser, type User, useListedUser } from '../users/person.tsx';

type Invitation = components['schemas']['Invitation'];

const statuses = ['pending', 'expired', 'accepted', 'revoked'] as const;
/** `all` needs its own value, because the list shows pending invitations if no filter is set. */
const shownFor = (status: string | undefined) =>
  status === 'all' ? undefined : (statuses.find((one) => one === status) ?? 'pending');

function Actions({ invitation, onInvite }: { invitation: Invitation; onInvite: (user: User) => void }) {
  const t = useTranslations('invitations');
  const own = useTranslations('users.invitation');
  const { client } = useApi();
  const queries = useQueryClient();
  const user = useListedUser(invitation.LoginID);
  if (!user || invitation.Status === 'accepted') return null;
  const name = nameOf(user);
  const revoke = async () => {
    const path = { LoginID: user.LoginID };
    const { error } = await client.DELETE('/invitation/{LoginID}', { params: { path } });
    if (error) throw error;
    await queries.invalidateQueries();
    notify(own('isRevoked'));
  };
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Button
        variant="default"
        size="compact-sm"
        aria-label={t('againFor', { name })}
        leftSection={<IconMailForward size={16} aria-hidden />}
        onClick={() => onInvite(user)}
      >
        {t('again')}
      </Button>
      {invitation.Status === 'pending' && (
        <ConfirmButton
          text={own('revoke')}
          title={t('revokeTitle', { name })}
          question={t('revokeText')}
          confirm={t('revokeConfirm')}
          isDangerous
          act={revoke}
          button={{ size: 'compact-sm', leftSection: <IconX size={16} aria-hidden /> }}
        />
      )}
    </Group>
  );
}

function useColumns(onInvite: (user: User) => void): Column<Invitation>[] {
  const t = useTranslations('invitations');
  const own = useTranslations('users.invitation');
  return [
    { key: 'user', header: t('user'), share: 50, cell: ({ LoginID }) => <ListedUser loginId={LoginID} /> },
    {
      key: 'status',
      onPhone: 'aside',
      header: t('status'),
      cell: ({ Status }) => <Badge color={invitationColors[Status]}>{own(`statuses.${Status}`)}</Badge>,
    },
    { key: 'created', header: t('created'), cell: ({ CreatedAt }) => <Instant at={CreatedAt} isDay /> },
    { key: 'expires', header: t('expires'), cell: ({ ExpiresAt }) => <Instant at={ExpiresAt} /> },
    {
      key: 'act',
      header: t('act'),
      isActions: true,
      align: 'end',
      cell: (invitation) => <Actions invitation={invitation} onInvite={onInvite} />,
    },
  ];
}

export default function Invitations() {
  const t = useTranslations('invitations');
  const own = useTranslations('users.invitation');
  const shell = useTranslations('shell');
  const { $api } = useApi();
  const [filters, change] = useFilters(['status']);
  const [invited, setInvited] = useState<User | null>(null);
  const columns = useColumns(setInvited);
  const Status = shownFor(filters.status);
  const query = { ...(Status ? { Status } : {}) };
  const list = $api.useInfiniteQuery('get', '/invitation', { params: { query } }, paged);
  const counted = { params: { query: { ...query, Limit: 1, Count: true } } };
  const { data: all } = $api.useQuery('get', '/invitation', counted, { enabled: list.hasNextPage });
  const showAll = () => change({ status: 'all' });
  return (
    <Page title={shell('pages.invitations')} text={t('text')}>
      <FilterBar count={0}>
        <SelectFilter
          label={t('status')}
          value={Status ?? 'all'}
          onChange={(status) => change({ status })}
          options={[
            ...statuses.map((value) => ({ value, label: own(`statuses.${value}`) })),
            { value: 'all', label: t('all') },
          ]}
          isRequired
        />
      </FilterBar>
      <List
        label={shell('pages.invitations')}
        query={list}
        count={all?.Count}
        columns={columns}
        rowKey={({ InvitationID }) => InvitationID}
        empty={
          Status ? (
            <NoneFound title={t('noneFound')} text={t('noneText')} onShowAll={showAll} />
          ) : (
            <Message title={t('none')} text={t('noneText')} />
          )
        }
      />
      {invited && <InviteDialog users={[invited]} onClose={() => setInvited(null)} />}
    </Page>
  );
}
