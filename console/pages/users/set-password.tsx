import { Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { nameOf, useSession } from '../../api/session.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { notify } from '../../parts/toast.tsx';
import { NewPassword, useNewPassword } from '../password/new-password.tsx';
import { hashPassword } from '../sign-in/hash-password.ts';
import type { User } from './person.tsx';

type Props = { user: User; onClose: () => void };

export function SetPasswordDialog({ user, onClose }: Props) {
  const t = useTranslations('password.set');
  const { client, tenant } = useApi();
  const { TenantID } = useSession();
  const { LoginID, FirstName, LastName } = user;
  const chosen = useNewPassword([LoginID, FirstName, LastName]);
  const submit = async () => {
    const path = { TenantID: tenant ?? TenantID ?? '' };
    const asked = await client.GET('/session/password/{TenantID}', { params: { path } });
    if (!asked.data) throw asked.error;
    const { error } = await client.PUT('/user/password/{LoginID}', {
      params: { path: { LoginID } },
      body: { Password: hashPassword(chosen.value, asked.data.PasswordHash) },
    });
    if (error) throw error;
    notify(t('done'));
  };
  return (
    <FormDialog
      title={t('title', { name: nameOf(user) })}
      isOpen
      onClose={onClose}
      submit={t('submit')}
      isReady={chosen.check}
      onSubmit={submit}
    >
      <Text c="dimmed" size="sm">
        {t('text')}
      </Text>
      <input type="text" name="username" autoComplete="off" value={LoginID} readOnly hidden />
      <NewPassword state={chosen} />
    </FormDialog>
  );
}
