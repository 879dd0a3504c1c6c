import { Button, Menu, Modal, Stack, Text } from '@mantine/core';
import {
  IconCertificate,
  IconDotsVertical,
  IconDownload,
  IconGavel,
  IconListCheck,
  IconLogin,
  IconMailForward,
  IconPassword,
  IconTrash,
  IconUserOff,
} from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { nameOf, useSession } from '../../api/session.tsx';
import { useAction } from '../../parts/action.tsx';
import { useDownload } from '../../parts/download.tsx';
import { useFilters } from '../../parts/filters.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { FailedAction } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { Copyable, CopyTextButton } from '../../parts/values.tsx';
import { HoldDialog } from '../holds/hold-dialog.tsx';
import { CompletionDialog } from '../records/completion-dialog.tsx';
import { EraseDialog } from './erase-dialog.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import type { User } from './person.tsx';
import { SetPasswordDialog } from './set-password.tsx';

export function useEnable(loginId: string) {
  const t = useTranslations('users');
  const { client } = useApi();
  const queries = useQueryClient();
  return async (Enabled: boolean) => {
    const { error } = await client.PUT('/user/{LoginID}', {
      params: { path: { LoginID: loginId } },
      body: { Enabled },
    });
    if (error) throw error;
    await queries.invalidateQueries();
    notify(Enabled ? t('isEnabledNow') : t('isDisabledNow'));
  };
}

export function EnableButton({ user }: { user: Pick<User, 'LoginID'> }) {
  const t = useTranslations('users');
  const enabling = useAction(useEnable(user.LoginID));
  return (
    <>
      <Button loading={enabling.isRunning} onClick={() => enabling.run(true)}>
        {t('enable')}
      </Button>
      <FailedAction error={enabling.error} />
    </>
  );
}

type Dialog = 'completion' | 'invite' | 'password' | 'link' | 'disable' | 'hold' | 'erase' | null;

export function UserMenu({ user }: { user: User }) {
  const t = useTranslations('users');
  const holds = useTranslations('holds');
  const records = useTranslations('records');
  const { Scopes } = useSession();
  // The search opens the page with a dialog, such as “invite”.
  const [asked, ask] = useFilters(['do']);
  const [chosen, setDialog] = useState<Dialog>(null);
  const dialog = chosen ?? asked.do;
  const close = () => {
    setDialog(null);
    if (asked.do) ask({ do: undefined });
  };
  const enable = useEnable(user.LoginID);
  const exporting = useDownload({
    path: `/user/${encodeURIComponent(user.LoginID)}/export`,
    accept: 'application/json',
    name: 'user.json',
  });
  return (
    <>
      <Menu position="bottom-end" width={260}>
        <Menu.Target>
          <Button
            variant="default"
            rightSection={<IconDotsVertical size={16} aria-hidden />}
            loading={exporting.isRunning}
          >
            {t('more')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {user.Enabled && (
            <Menu.Item
              leftSection={<IconMailForward size={16} aria-hidden />}
              onClick={() => setDialog('invite')}
            >
              {t('invite')}
            </Menu.Item>
          )}
          <Menu.Item
            leftSection={<IconListCheck size={16} aria-hidden />}
            renderRoot={(props) => (
              <Link to="/console/users/$loginId/record" params={{ loginId: user.LoginID }} {...props} />
            )}
          >
            {records('open')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconCertificate size={16} aria-hidden />}
            onClick={() => setDialog('completion')}
          >
            {records('recordOne')}
          </Menu.Item>
          <Menu.Item
            leftSection={<IconPassword size={16} aria-hidden />}
            onClick={() => setDialog('password')}
          >
            {t('setPassword')}
          </Menu.Item>
          <Menu.Item leftSection={<IconLogin size={16} aria-hidden />} onClick={() => setDialog('link')}>
            {t('signInLink')}
          </Menu.Item>
          <Menu.Item leftSection={<IconDownload size={16} aria-hidden />} onClick={() => exporting.run()}>
            {t('export')}
          </Menu.Item>
          <Menu.Divider />
          {user.Enabled && (
            <Menu.Item
              leftSection={<IconUserOff size={16} aria-hidden />}
              onClick={() => setDialog('disable')}
            >
              {t('disable')}
            </Menu.Item>
          )}
          {Scopes.includes('holds:write') && (
            <Menu.Item leftSection={<IconGavel size={16} aria-hidden />} onClick={() => setDialog('hold')}>
              {holds('place')}
            </Menu.Item>
          )}
          <Menu.Item
            c="var(--mantine-color-error)"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => setDialog('erase')}
          >
            {t('erase')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <FailedAction error={exporting.error} />
      <FormDialog
        title={t('disableTitle', { name: nameOf(user) })}
        isOpen={dialog === 'disable' && user.Enabled}
        onClose={close}
        submit={t('disable')}
        onSubmit={() => enable(false)}
      >
        <Text>{t('disableText')}</Text>
      </FormDialog>
      {dialog === 'completion' && (
        <CompletionDialog loginId={user.LoginID} name={nameOf(user)} onClose={close} />
      )}
      {dialog === 'invite' && <InviteDialog users={[user]} onClose={close} />}
      {dialog === 'password' && <SetPasswordDialog user={user} onClose={close} />}
      <SignInLinkDialog user={user} isOpen={dialog === 'link'} onClose={close} />
      {dialog === 'hold' && (
        <HoldDialog loginId={user.LoginID} name={nameOf(user)} hold={null} onClose={close} />
      )}
      <EraseDialog user={user} isOpen={dialog === 'erase'} onClose={close} />
    </>
  );
}

type DialogProps = { user: User; isOpen: boolean; onClose: () => void };

/** The link is created on request and shown only once, because anyone who has it can sign in as this user. */
function SignInLinkDialog({ user, isOpen, onClose }: DialogProps) {
  const t = useTranslations('users');
  const act = useTranslations('act');
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('signInLinkTitle', { name: nameOf(user) })}
      closeButtonProps={{ 'aria-label': act('close') }}
    >
      <SignInLink user={user} />
    </Modal>
  );
}

function SignInLink({ user }: { user: User }) {
  const t = useTranslations('users');
  const format = useFormatter();
  const { client } = useApi();
  const [link, setLink] = useState<{ SignInURL: string; ExpiresAt: string } | null>(null);
  const making = useAction(async () => {
    const { data, error } = await client.POST('/user/session/{LoginID}', {
      params: { path: { LoginID: user.LoginID } },
      body: {},
    });
    if (!data) throw error;
    setLink(data);
  });
  return (
    <Stack>
      <Text>{t('signInLinkText', { name: nameOf(user) })}</Text>
      <FailedAction error={making.error} />
      {link ? (
        <Stack gap="sm" align="flex-start">
          <Copyable value={link.SignInURL} label={t('signInLink')} />
          <Text size="sm" c="dimmed">
            {t('signInLinkUntil', { at: format.dateTime(new Date(link.ExpiresAt), { timeStyle: 'short' }) })}
          </Text>
          <CopyTextButton value={link.SignInURL} text={t('copyLink')} />
        </Stack>
      ) : (
        <Button loading={making.isRunning} onClick={() => making.run()} data-autofocus>
          {t('makeLink')}
        </Button>
      )}
    </Stack>
  );
}
