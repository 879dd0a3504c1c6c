import { Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import { nameOf } from '../../api/session.tsx';
import { ChangeDialog, type Step } from '../../parts/change-dialog.tsx';
import { GroupField } from './group.tsx';
import type { User } from './person.tsx';

type Body = components['schemas']['UserChange'];
export type Change = 'group' | 'disable' | 'enable';

type Props = {
  change: Change;
  read: () => Promise<readonly User[]>;
  count: number;
  onClose: () => void;
};

/** Changes the group of the selected people, or whether they can sign in. */
export function ChangeUsersDialog({ change, read, count, onClose }: Props) {
  const t = useTranslations('users');
  const { client } = useApi();
  const [group, setGroup] = useState('');
  const wanted: Body = change === 'group' ? { GroupName: group || null } : { Enabled: change === 'enable' };
  const planOf = ({ GroupName, Enabled }: User): Step<Body> => {
    const isSame = change === 'group' ? GroupName === wanted.GroupName : Enabled === wanted.Enabled;
    return isSame ? null : { body: wanted };
  };
  return (
    <ChangeDialog
      title={t(`many.${change}Title`, { count })}
      read={read}
      nameOf={nameOf}
      planOf={planOf}
      send={({ LoginID }, body) =>
        dataOf(client.PUT('/user/{LoginID}', { params: { path: { LoginID } }, body }))
      }
      undoOf={({ GroupName, Enabled }) => (change === 'group' ? { GroupName } : { Enabled })}
      submit={t(`many.${change}`)}
      isDangerous={change === 'disable'}
      onClose={onClose}
    >
      {change === 'group' && <GroupField value={group} onChange={setGroup} />}
      {change === 'disable' && <Text size="sm">{t('disableText')}</Text>}
    </ChangeDialog>
  );
}
