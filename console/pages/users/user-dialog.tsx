import { Group, Switch, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { nameOf } from '../../api/session.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { useFormState } from '../../parts/form-state.ts';
import { IdField } from '../../parts/id-field.tsx';
import { idOf } from '../../parts/id-of.ts';
import { PairsField, pairsOf, recordOf } from '../../parts/pairs.tsx';
import { factorOfText, TimeFactorField, textOfFactor } from '../../parts/time-factor.tsx';
import { notify } from '../../parts/toast.tsx';
import { LearnerPicker } from '../enrolments/pickers.tsx';
import { GroupsField } from './group.tsx';
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
  Groups: user?.Groups ?? [],
  ManagerLoginID: user?.ManagerLoginID ?? undefined,
  Attributes: pairsOf(user?.Attributes ?? {}),
  Email: user?.Email ?? '',
  IsAdmin: user?.IsAdmin ?? false,
  Enabled: user?.Enabled ?? true,
  TimeFactor: textOfFactor(user?.TimeFactor ?? (user ? null : 1)),
});

type FormValues = ReturnType<typeof valuesOf>;

/** The form in the service's format, in which empty fields are null. */
const fieldsOf = (typed: FormValues, user: User | null) => ({
  ...{ IsAdmin: typed.IsAdmin, Enabled: typed.Enabled, Groups: [...typed.Groups] },
  FirstName: typed.FirstName || null,
  LastName: typed.LastName || null,
  Email: typed.Email || null,
  ManagerLoginID: typed.ManagerLoginID ?? null,
  // Names that are not sent would keep their values.
  Attributes: {
    ...Object.fromEntries(Object.keys(user?.Attributes ?? {}).map((name) => [name, null])),
    ...recordOf(typed.Attributes),
  },
  TimeFactor: factorOfText(typed.TimeFactor),
});

function useSave(user: User | null) {
  const { client } = useApi();
  return async (typed: FormValues) => {
    const { data, error } = user
      ? await client.PUT('/user/{LoginID}', {
          params: { path: { LoginID: user.LoginID } },
          body: fieldsOf(typed, user),
        })
      : await client.POST('/user', { body: { LoginID: typed.LoginID, ...fieldsOf(typed, user) } });
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
  const LoginID = typed.LoginID || idOf(`${typed.FirstName} ${typed.LastName}`, '.') || typed.Email;
  const set = (change: Partial<FormValues>) => setTyped((before) => ({ ...before, ...change }));
  const text = (name: 'FirstName' | 'LastName' | 'Email') => ({
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
        const saved = await save({ ...typed, LoginID });
        await queries.invalidateQueries();
        notify(t('saved', { name: nameOf(saved) }));
        onSaved?.(saved);
      }}
    >
      <Group grow preventGrowOverflow={false} align="flex-start">
        <TextInput
          label={t('firstName')}
          maxLength={255}
          autoComplete="off"
          data-autofocus
          {...text('FirstName')}
        />
        <TextInput label={t('lastName')} maxLength={255} autoComplete="off" {...text('LastName')} />
      </Group>
      <TextInput label={t('email')} type="email" maxLength={320} autoComplete="off" {...text('Email')} />
      {!user && (
        <IdField
          label={t('loginId')}
          description={t('loginIdText')}
          value={LoginID}
          onChange={(LoginID) => set({ LoginID })}
        />
      )}
      <GroupsField values={typed.Groups} onChange={(Groups) => set({ Groups })} />
      <LearnerPicker
        label={t('manager')}
        value={typed.ManagerLoginID}
        onChange={(ManagerLoginID) => set({ ManagerLoginID })}
      />
      <PairsField
        label={t('attributes')}
        text={t('attributesText')}
        pairs={typed.Attributes}
        onChange={(Attributes) => set({ Attributes })}
        max={30}
        maxName={40}
        maxValue={255}
      />
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
