import { Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { notify } from '../../parts/toast.tsx';
import { PageTexts } from '../../shell/intl.tsx';
import { hashPassword } from '../sign-in/hash-password.ts';
import { NewPassword, PasswordField, useNewPassword } from './new-password.tsx';

type Props = { onClose: () => void };

export function ChangePassword({ onClose }: Props) {
  return (
    <PageTexts>
      <ChangeDialog onClose={onClose} />
    </PageTexts>
  );
}

function ChangeDialog({ onClose }: Props) {
  const t = useTranslations('password');
  const { client } = useApi();
  const { TenantID, TenantName, LoginID, FirstName, LastName } = useSession();
  const [old, setOld] = useState('');
  const chosen = useNewPassword([TenantName, LoginID, FirstName, LastName]);
  const change = async () => {
    const path = { TenantID: TenantID ?? '' };
    const asked = await client.GET('/session/password/{TenantID}', { params: { path } });
    if (!asked.data) throw asked.error;
    const { PasswordHash } = asked.data;
    const body = {
      OldPassword: hashPassword(old, PasswordHash),
      Password: hashPassword(chosen.value, PasswordHash),
    };
    const { error } = await client.PUT('/session/password', { body });
    if (error) throw error;
    notify(t('changed'));
  };
  return (
    <FormDialog
      title={t('changeTitle')}
      isOpen
      onClose={onClose}
      submit={t('change')}
      isReady={chosen.check}
      onSubmit={change}
    >
      <Text c="dimmed" size="sm">
        {t('changeText')}
      </Text>
      <input type="text" name="username" autoComplete="username" value={LoginID ?? ''} readOnly hidden />
      <PasswordField
        label={t('old')}
        name="password"
        autoComplete="current-password"
        value={old}
        onType={setOld}
      />
      <NewPassword state={chosen} />
    </FormDialog>
  );
}
