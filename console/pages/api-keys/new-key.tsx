import './api-keys.css';
import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { useFilters } from '../../parts/filters.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useFormState } from '../../parts/form-state.ts';
import { NewSecret } from './key-secret.tsx';
import { naming } from './naming.ts';
import { scopesOfTenant } from './scopes.ts';

type KeyWithSecret = components['schemas']['KeyWithSecret'];
type FormValues = { Name: string; Scopes: string[]; day: string };

/** The end of the day in the viewer's time zone. */
const endOf = (day: string) => new Date(`${day}T23:59:59`).toISOString();

/** Today in the viewer's time zone, as the value of a date field. */
const today = () => new Date().toLocaleDateString('sv-SE');

/** The button that creates a key, and its dialogs, one of which shows the secret. */
export function useNewKey(tenantId?: string) {
  const t = useTranslations('apiKeys');
  const [{ create }, change] = useFilters(['create']);
  const setOpen = (isOpen: boolean) => change({ create: isOpen ? 'true' : undefined });
  const [made, setMade] = useState<KeyWithSecret | null>(null);
  const button = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen(true)}>
      {t('create')}
    </Button>
  );
  const dialogs = (
    <>
      <NewKeyDialog
        tenantId={tenantId}
        isOpen={create !== undefined}
        onClose={() => setOpen(false)}
        onMade={setMade}
      />
      <NewSecret made={made} onClose={() => setMade(null)} />
    </>
  );
  return { button, dialogs };
}

type Props = {
  tenantId: string | undefined;
  isOpen: boolean;
  onClose: () => void;
  onMade: (made: KeyWithSecret) => void;
};

function NewKeyDialog({ tenantId, isOpen, onClose, onMade }: Props) {
  const t = useTranslations('apiKeys');
  const { $api } = useApi();
  const queries = useQueryClient();
  const create = $api.useMutation('post', '/key');
  const [typed, setTyped] = useFormState<FormValues>(isOpen, () => ({ Name: '', Scopes: [], day: '' }));
  const submit = async () => {
    const made = await create.mutateAsync({
      params: naming(tenantId),
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
      title={t('createTitle')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('createSubmit')}
      onSubmit={submit}
      isDirty={typed.Name !== '' || typed.Scopes.length > 0}
      missing={[typed.Scopes.length === 0 && t('scopesHeader')]}
      size="xl"
    >
      <TextInput
        label={t('name')}
        description={t('nameText')}
        required
        maxLength={255}
        data-autofocus
        value={typed.Name}
        onChange={(event) => setTyped({ ...typed, Name: event.currentTarget.value })}
      />
      <ScopeField chosen={typed.Scopes} change={(Scopes) => setTyped({ ...typed, Scopes })} />
      <TextInput
        type="date"
        label={t('expiresOn')}
        description={t('expiresOnText')}
        min={today()}
        value={typed.day}
        onChange={(event) => setTyped({ ...typed, day: event.currentTarget.value })}
      />
    </FormDialog>
  );
}

/** Offers only the scopes of the signed-in user, because a key cannot have more scopes than its creator. */
function ScopeField({ chosen, change }: { chosen: string[]; change: (scopes: string[]) => void }) {
  const t = useTranslations('apiKeys');
  const { Scopes: own } = useSession();
  const offered = scopesOfTenant.filter((scope) => own.includes(scope));
  const isAll = offered.every((scope) => chosen.includes(scope));
  return (
    <Stack gap={0}>
      <Checkbox.Group
        label={t('scopesHeader')}
        description={t('scopesText')}
        required
        value={chosen}
        onChange={change}
      >
        <div className="scope-choices">
          {offered.map((scope) => (
            <Checkbox key={scope} value={scope} label={t(`scopes.${scope}`)} description={scope} />
          ))}
        </div>
      </Checkbox.Group>
      <Group justify="space-between">
        <Button variant="subtle" size="compact-sm" onClick={() => change(isAll ? [] : [...offered])}>
          {t(isAll ? 'selectNone' : 'selectAll')}
        </Button>
        {offered.length < scopesOfTenant.length && (
          <Text size="xs" c="dimmed">
            {t('yourLimit')}
          </Text>
        )}
      </Group>
    </Stack>
  );
}
