import { Checkbox, Stack, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { scopesOfTenant } from './scopes.ts';

type KeyWithSecret = components['schemas']['KeyWithSecret'];

/** The end of the day in the viewer's time zone. */
const endOf = (day: string) => new Date(`${day}T23:59:59`).toISOString();

type Props = {
  tenantId: string;
  isOpen: boolean;
  onClose: () => void;
  onMade: (made: KeyWithSecret) => void;
};

type FormValues = { Name: string; Scopes: string[]; day: string };

export function NewKeyDialog({ tenantId, isOpen, onClose, onMade }: Props) {
  const t = useTranslations('tenants');
  const { $api } = useApi();
  const queries = useQueryClient();
  const create = $api.useMutation('post', '/tenant/{TenantID}/key');
  const empty: FormValues = { Name: '', Scopes: [...scopesOfTenant], day: '' };
  const [typed, setTyped] = useState(empty);
  const close = () => {
    setTyped(empty);
    onClose();
  };
  const submit = async () => {
    const made = await create.mutateAsync({
      params: { path: { TenantID: tenantId } },
      body: {
        Name: typed.Name,
        Scopes: scopesOfTenant.filter((scope) => typed.Scopes.includes(scope)),
        ...(typed.day ? { ExpiresAt: endOf(typed.day) } : {}),
      },
    });
    await queries.invalidateQueries();
    onMade(made);
  };
  return (
    <FormDialog
      title={t('newKeyTitle')}
      isOpen={isOpen}
      onClose={close}
      submit={t('newKeySubmit')}
      onSubmit={submit}
      size="lg"
    >
      <TextInput
        label={t('keyName')}
        description={t('keyNameText')}
        required
        maxLength={255}
        data-autofocus
        value={typed.Name}
        onChange={(event) => setTyped({ ...typed, Name: event.currentTarget.value })}
      />
      <Checkbox.Group
        label={t('scopesHeader')}
        description={t('scopesText')}
        value={typed.Scopes}
        onChange={(Scopes) => setTyped({ ...typed, Scopes })}
      >
        <Stack gap="xs" mt="xs">
          {scopesOfTenant.map((scope) => (
            <Checkbox key={scope} value={scope} label={t(`scopes.${scope}`)} description={scope} />
          ))}
        </Stack>
      </Checkbox.Group>
      <TextInput
        type="date"
        label={t('expiresOn')}
        description={t('expiresOnText')}
        value={typed.day}
        onChange={(event) => setTyped({ ...typed, day: event.currentTarget.value })}
      />
    </FormDialog>
  );
}
