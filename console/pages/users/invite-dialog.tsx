import { Alert, Button, Group, List, Modal, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { nameOf } from '../../api/session.tsx';
import { useAction } from '../../parts/action.tsx';
import { csvFile, csvRow } from '../../parts/csv.ts';
import { withoutCalls } from '../../parts/failure-text.ts';
import { Rows } from '../../parts/list.tsx';
import { newRequestKey } from '../../parts/request-key.ts';
import { saveFile } from '../../parts/save-file.ts';
import { FailedAction } from '../../parts/states.tsx';
import { Copyable, CopyTextButton } from '../../parts/values.tsx';
import type { User } from './person.tsx';

export type Invitee = Pick<User, 'LoginID' | 'FirstName' | 'LastName' | 'Email'>;

type Line = { InvitationURL?: string; ExpiresAt?: string; MailID?: string | null; detail?: string };

/** A user and the outcome of their invitation. */
type Invited = { user: Invitee; line: Line };

/** Invites the users in one call. A retry after a failure returns the same links. */
function useInvite(users: readonly Invitee[]) {
  const api = useApi();
  const queries = useQueryClient();
  const key = useRef(newRequestKey());
  return async (): Promise<Invited[]> => {
    const body = users.map(({ LoginID }) => JSON.stringify({ LoginID })).join('\n');
    const response = await fetch('/invitation/bulk', {
      method: 'POST',
      headers: {
        ...api.headers,
        'Content-Type': 'application/x-ndjson',
        Accept: 'application/x-ndjson',
        'Idempotency-Key': key.current,
      },
      body,
    });
    if (!response.ok) throw await response.json();
    const texts = (await response.text()).split('\n').filter((text) => text !== '');
    const lines = texts.map((text): Line => JSON.parse(text));
    void queries.invalidateQueries();
    return users.flatMap((user, row) => (lines[row] ? [{ user, line: lines[row] }] : []));
  };
}

function fileOf(invited: readonly Invited[]): Blob {
  const header = ['LoginID', 'FirstName', 'LastName', 'Email', 'InvitationURL', 'ExpiresAt', 'Problem'];
  const rows = invited.map(({ user, line }) => {
    const { LoginID, FirstName, LastName, Email } = user;
    return csvRow([LoginID, FirstName, LastName, Email, line.InvitationURL, line.ExpiresAt, line.detail]);
  });
  return csvFile([csvRow(header), ...rows]);
}

type Props = { users: readonly Invitee[]; onClose: () => void };

/** The links are shown only once. While they are shown, only the button closes the dialog, to prevent accidental loss. */
export function InviteDialog({ users, onClose }: Props) {
  const t = useTranslations('users.invitation');
  const act = useTranslations('act');
  const [invited, setInvited] = useState<readonly Invited[] | null>(null);
  const invite = useInvite(users);
  const inviting = useAction(async () => setInvited(await invite()));
  const name = users[0] ? nameOf(users[0]) : '';
  const count = users.length;
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('title', { count, name })}
      size={count > 1 && invited ? 'xl' : 'lg'}
      withCloseButton={!invited}
      closeOnClickOutside={!invited}
      closeOnEscape={!invited}
      closeButtonProps={{ 'aria-label': act('close') }}
    >
      {invited ? (
        <Outcome invited={invited} onClose={onClose} />
      ) : (
        <Stack>
          <Text>{t('text', { count, name })}</Text>
          <Text c="dimmed" size="sm">
            {t('effect', { count })}
          </Text>
          <FailedAction error={inviting.error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {act('cancel')}
            </Button>
            <Button loading={inviting.isRunning} onClick={() => inviting.run()} data-autofocus>
              {t('create', { count })}
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}

function Outcome({ invited, onClose }: { invited: readonly Invited[]; onClose: () => void }) {
  const t = useTranslations('users.invitation');
  const format = useFormatter();
  const made = invited.filter(({ line }) => line.InvitationURL);
  const failed = invited.filter(({ line }) => !line.InvitationURL);
  const mailed = made.filter(({ line }) => line.MailID);
  const shown = made.filter(({ line }) => !line.MailID);
  const until = made[0]?.line.ExpiresAt;
  return (
    <Stack>
      {failed.length > 0 && (
        <Alert color="red" variant="light" role="alert" title={t('failed', { count: failed.length })}>
          <List size="sm">
            {failed.map(({ user, line }) => (
              <List.Item key={user.LoginID}>
                {nameOf(user)}: {withoutCalls(line.detail ?? '')}
              </List.Item>
            ))}
          </List>
        </Alert>
      )}
      {mailed.length > 0 && (
        <Alert color="green" variant="light" role="status">
          {t('mailed', { count: mailed.length, address: mailed[0]?.user.Email ?? '' })}
        </Alert>
      )}
      {until !== undefined && shown.length > 0 && (
        <Alert
          color="orange"
          variant="light"
          title={mailed.length > 0 ? t('notMailed', { count: shown.length }) : undefined}
        >
          {t('once', {
            count: shown.length,
            at: format.dateTime(new Date(until), { dateStyle: 'long', timeStyle: 'short' }),
          })}
        </Alert>
      )}
      <Links made={shown.length > 0 ? shown : made} />
      <Group justify="space-between">
        {made.length > 1 ? (
          <Button
            variant="default"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => saveFile('invitations.csv', fileOf(invited))}
          >
            {t('download')}
          </Button>
        ) : (
          made[0] && <CopyTextButton value={made[0].line.InvitationURL ?? ''} text={t('copy')} />
        )}
        <Button onClick={onClose} data-autofocus>
          {t('done')}
        </Button>
      </Group>
    </Stack>
  );
}

function Links({ made }: { made: readonly Invited[] }) {
  const t = useTranslations('users');
  const link = useTranslations('users.invitation');
  const [only, ...others] = made;
  if (!only) return null;
  if (others.length === 0) return <Copyable value={only.line.InvitationURL ?? ''} label={link('link')} />;
  return (
    <Rows
      label={link('links')}
      rows={made}
      rowKey={({ user }) => user.LoginID}
      columns={[
        { key: 'name', header: t('name'), cell: ({ user }) => <span className="break">{nameOf(user)}</span> },
        {
          key: 'email',
          header: t('email'),
          cell: ({ user }) => <span className="break">{user.Email ?? '–'}</span>,
        },
        {
          key: 'link',
          header: link('link'),
          isActions: true,
          align: 'end',
          cell: ({ user, line }) => (
            <CopyTextButton
              value={line.InvitationURL ?? ''}
              text={link('copy')}
              label={link('copyOf', { name: nameOf(user) })}
            />
          ),
        },
      ]}
    />
  );
}
