import { Button, Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import { useSession } from '../../api/session.tsx';
import { ConfirmButton } from '../../parts/action.tsx';
import type { Column } from '../../parts/list.tsx';
import { notify } from '../../parts/toast.tsx';
import { Instant } from '../../parts/values.tsx';
import { useName } from '../users/person.tsx';
import { HoldDialog } from './hold-dialog.tsx';
import type { Hold } from './record.ts';

/** The columns of every list of legal holds, after the person. */
export function useHoldColumns(): Column<Hold>[] {
  const t = useTranslations('holds');
  return [
    { key: 'id', header: t('id'), share: 20, cell: ({ HoldID }) => <span className="break">{HoldID}</span> },
    {
      key: 'reason',
      header: t('reason'),
      share: 34,
      cell: ({ Reason }) => <span className="break">{Reason}</span>,
    },
    { key: 'at', header: t('at'), cell: ({ PlacedAt }) => <Instant at={PlacedAt} isDay /> },
    {
      key: 'actions',
      header: t('actions'),
      isActions: true,
      align: 'end',
      cell: (hold) => <HoldActions hold={hold} />,
    },
  ];
}

function HoldActions({ hold }: { hold: Hold }) {
  const t = useTranslations('holds');
  const { client } = useApi();
  const { Scopes } = useSession();
  const queries = useQueryClient();
  const name = useName(hold.LoginID);
  const [isChanging, setChanging] = useState(false);
  if (!Scopes.includes('holds:write')) return null;
  const { LoginID, HoldID } = hold;
  const release = async () => {
    await dataOf(client.DELETE('/user/{LoginID}/hold/{HoldID}', { params: { path: { LoginID, HoldID } } }));
    await queries.invalidateQueries();
    notify(t('released'));
  };
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Button variant="default" size="xs" onClick={() => setChanging(true)}>
        {t('change')}
      </Button>
      <ConfirmButton
        text={t('release')}
        title={t('releaseTitle', { name })}
        question={t('releaseText', { id: HoldID })}
        confirm={t('release')}
        isDangerous
        act={release}
        button={{ size: 'xs' }}
      />
      {isChanging && (
        <HoldDialog loginId={LoginID} name={name} hold={hold} onClose={() => setChanging(false)} />
      )}
    </Group>
  );
}
