import { Group, Switch, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { nameOf } from '../../api/session.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useFormState } from '../../parts/form-state.ts';
import { factorOfText, TimeFactorField, textOfFactor } from '../../parts/time-factor.tsx';
import { notify } from '../../parts/toast.tsx';
import { GroupField } from './group.tsx';
import type { User } from './person.tsx';

type Props = {
  /** Null when creating a new user. */
  user: User | null;
  isOpen: boolean;
  onClose: () => void;
  onSaved?: (user: User) => unknown;
};

const valuesOf = (user: User | null) => ({
  LoginID: user?.LoginID ?? '',
  FirstName: user?.FirstName ?? '',
  LastName: user?.LastName ?? '',
  GroupName: user?.GroupName ?? '',
  Email: user?.Email ?? '',
  IsAdmin: user?.IsAdmin ?? false,
  Enabled: user?.Enabled ?? true,
  TimeFactor: textOfFactor(user?.TimeFactor ?? (user ? null : 1)),
});

type FormValues = ReturnType<typeof valuesOf>;

/** Converts the form to the service's format, in which empty fields are null. */
const fieldsOf = ({ FirstName, LastName, GroupName, Email, IsAdmin, Enabled, TimeFactor }: FormValues) => ({
  FirstName: FirstName || null,
  LastName: LastName || null,
  GroupName: GroupName || null,
  Email: Email || null,
  IsAdmin,
  Enabled,
  TimeFactor: factorOfText(TimeFactor),
});

function useSave(user: User | null) {
  const { client } = useApi();
  return async (typed: FormValues) => {
    const { data, error } = user
      ? await client.PUT('/user/{LoginID}', {
          params: { path: { LoginID: user.LoginID } },
          body: fieldsOf(typed),
        })
      : await client.POST('/user', { body: { LoginID: typed.LoginID, ...fieldsOf(typed) } });
    if (!data) throw error;
    return data;
  };
}

export function UserDialog({ user, isOpen, onClose, onSaved }: Props) {
  const t = useTranslations('users');
  const act = useTranslations('act');
  const queries = useQueryClient();
  const [typed, setTyped] = useFormState(isOpen, () => valuesOf(user));
  const save = useSave(user);
  const set = (change: Partial<FormValues>) => setTyped((before) => ({ ...before, ...change }));
  const text = (name: 'LoginID' | 'FirstName' | 'LastName' | 'Email') => ({
    value: typed[name],
    onChange: (event: { currentTarget: HTMLInputElement }) => set({ [name]: event.currentTarget.value }),
  });
  return (
    <FormDialog
      title={user ? t('editTitle', { name: nameOf(user) }) : t('createTitle')}
      isOpen={isOpen}
      onClose={onClose}
      submit={user ? act('save') : t('create')}
      onSubmit={async () => {
        const saved = await save(typed);
        await queries.invalidateQueries();
        notify(t('saved', { name: nameOf(saved) }));
        onSaved?.(saved);
      }}
    >
      {!user && (
        <TextInput
          label={t('loginId')}
          description={t('loginIdText')}
          required
          maxLength={255}
          autoComplete="off"
          data-autofocus
          {...text('LoginID')}
        />
      )}
      <Group grow preventGrowOverflow={false} align="flex-start">
        <TextInput label={t('firstName')} maxLength={255} autoComplete="off" {...text('FirstName')} />
        <TextInput label={t('lastName')} maxLength={255} autoComplete="off" {...text('LastName')} />
      </Group>
      <TextInput label={t('email')} type="email" maxLength={320} autoComplete="off" {...text('Email')} />
      <GroupField value={typed.GroupName} onChange={(GroupName) => set({ GroupName })} />
      <TimeFactorField value={typed.TimeFactor} onChange={(TimeFactor) => set({ TimeFactor })} />
      <Switch
        label={t('enabled')}
        description={t('enabledText')}
        checked={typed.Enabled}
        onChange={(event) => set({ Enabled: event.currentTarget.checked })}
      />
      <Switch
        label={t('administrator')}
        description={t('administratorText')}
        checked={typed.IsAdmin}
        onChange={(event) => set({ IsAdmin: event.currentTarget.checked })}
      />
    </FormDialog>
  );
}
