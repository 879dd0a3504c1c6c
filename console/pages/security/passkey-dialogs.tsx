import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useAction } from '../../parts/action.tsx';
import { focusFirst } from '../../parts/focus-first.ts';
import { useFormState } from '../../parts/form-state.ts';
import { notify } from '../../parts/toast.tsx';
import { PasskeyFailure } from './passkey-failure.tsx';
import { nameOfDevice, type Passkey, usePasskeys } from './use-passkeys.ts';

type DialogProps = { isOpen: boolean; onClose: () => void };

type FormProps = DialogProps & {
  title: string;
  text?: string;
  submit: string;
  isDangerous?: boolean;
  act: () => Promise<unknown>;
  children?: ReactNode;
};

/** Like `FormDialog`, but explains the browser's failures, too. */
function PasskeyDialog({ title, text, submit, isDangerous, act, children, isOpen, onClose }: FormProps) {
  const t = useTranslations('act');
  const queries = useQueryClient();
  const doing = useAction(async () => {
    await act();
    await queries.invalidateQueries();
  });
  const close = () => {
    doing.reset();
    onClose();
  };
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    if (await doing.run()) close();
  };
  return (
    <Modal opened={isOpen} onClose={close} title={title} closeButtonProps={{ 'aria-label': t('close') }}>
      <form ref={focusFirst} onSubmit={onSubmit}>
        <Stack>
          {text && <Text c="dimmed">{text}</Text>}
          {children}
          <PasskeyFailure error={doing.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('cancel')}
            </Button>
            <Button type="submit" loading={doing.isRunning} {...(isDangerous ? { color: 'red.8' } : {})}>
              {submit}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function NameField({ name, onType }: { name: string; onType: (name: string) => void }) {
  const t = useTranslations('passkeys');
  return (
    <TextInput
      label={t('name')}
      description={t('nameText')}
      required
      withAsterisk={false}
      maxLength={100}
      data-autofocus
      value={name}
      onChange={(event) => onType(event.currentTarget.value)}
      inputWrapperOrder={['label', 'input', 'description']}
    />
  );
}

export function AddPasskeyDialog(props: DialogProps) {
  const t = useTranslations('passkeys');
  const { add } = usePasskeys();
  const [name, setName] = useFormState(props.isOpen, nameOfDevice);
  const act = async () => {
    await add(name.trim() || t('unnamed'));
    notify(t('added'));
  };
  return (
    <PasskeyDialog {...props} title={t('addTitle')} text={t('addText')} submit={t('addSubmit')} act={act}>
      <NameField name={name} onType={setName} />
    </PasskeyDialog>
  );
}

type PasskeyProps = DialogProps & { passkey: Passkey };

export function RenamePasskeyDialog({ passkey, ...props }: PasskeyProps) {
  const t = useTranslations('passkeys');
  const { client } = useApi();
  const [name, setName] = useFormState(props.isOpen, () => passkey.Name);
  const act = async () => {
    const params = { path: { PasskeyID: passkey.PasskeyID } };
    const body = { Name: name.trim() || passkey.Name };
    const { error } = await client.PUT('/session/passkey/{PasskeyID}', { params, body });
    if (error) throw error;
    notify(t('renamed'));
  };
  return (
    <PasskeyDialog {...props} title={t('renameTitle')} submit={t('renameSubmit')} act={act}>
      <NameField name={name} onType={setName} />
    </PasskeyDialog>
  );
}

export function RemovePasskeyDialog({ passkey, ...props }: PasskeyProps) {
  const t = useTranslations('passkeys');
  const { client } = useApi();
  const act = async () => {
    const params = { path: { PasskeyID: passkey.PasskeyID } };
    const { error } = await client.DELETE('/session/passkey/{PasskeyID}', { params });
    if (error) throw error;
    notify(t('removed'));
  };
  return (
    <PasskeyDialog
      {...props}
      title={t('removeTitle', { name: passkey.Name })}
      text={t('removeText')}
      submit={t('removeSubmit')}
      isDangerous
      act={act}
    />
  );
}
