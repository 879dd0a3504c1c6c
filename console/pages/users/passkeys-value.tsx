import { Group } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { nameOf } from '../../api/session.tsx';
import { ConfirmButton } from '../../parts/action.tsx';
import { notify } from '../../parts/toast.tsx';
import { LabelledValue } from '../../parts/values.tsx';
import type { User } from './person.tsx';

/** How many passkeys an administrator has, and a button that removes them if they are lost. */
export function PasskeysValue({ user }: { user: User }) {
  const t = useTranslations('users.passkeys');
  const { $api, client } = useApi();
  const queries = useQueryClient();
  const params = { path: { LoginID: user.LoginID } };
  const { data } = $api.useQuery('get', '/user/{LoginID}/passkey', { params });
  const count = data?.Items.length ?? 0;
  const remove = async () => {
    const { error } = await client.DELETE('/user/{LoginID}/passkey', { params });
    if (error) throw error;
    await queries.invalidateQueries();
    notify(t('removed'));
  };
  return (
    <LabelledValue label={t('label')}>
      <Group gap="xs">
        {data ? t('count', { count }) : '–'}
        {count > 0 && (
          <ConfirmButton
            text={t('remove')}
            title={t('title', { name: nameOf(user) })}
            question={t('question')}
            confirm={t('confirm')}
            isDangerous
            button={{ variant: 'subtle', size: 'compact-sm' }}
            act={remove}
          />
        )}
      </Group>
    </LabelledValue>
  );
}
