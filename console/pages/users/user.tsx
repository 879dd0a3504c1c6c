import { Alert, Button, Paper, Stack, Title } from '@mantine/core';
import { IconPencil, IconPlus } from '@tabler/icons-react';
import { Link, useParams } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { nameOf } from '../../api/session.tsx';
import { useFilters } from '../../parts/filters.tsx';
import { Page } from '../../parts/page.tsx';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { useFactorText } from '../../parts/time-factor.tsx';
import { Copyable, Instant, LabelledValue, LabelledValues } from '../../parts/values.tsx';
import { BounceAlert } from './bounce.tsx';
import { InvitationValue } from './invitation-value.tsx';
import { PasskeysValue } from './passkeys-value.tsx';
import { AccountBadges, type User, UserName, useUser } from './person.tsx';
import { EnableButton, UserMenu } from './user-actions.tsx';
import { UserCertificates } from './user-certificates.tsx';
import { UserDialog } from './user-dialog.tsx';
import { UserEnrolments } from './user-enrolments.tsx';
import { UserHolds } from './user-holds.tsx';
import { UserObligations } from './user-obligations.tsx';

export default function OneUser() {
  const { loginId } = useParams({ from: '/console/users/$loginId' });
  const shell = useTranslations('shell');
  const { data: user, error, refetch } = useUser(loginId);
  const back = { to: '/console/users', text: shell('pages.users') } as const;
  if (user) return <Shown user={user} back={back} />;
  return (
    <Page title={loginId} back={back}>
      {error ? <Failed error={error} onRetry={refetch} /> : <WaitingRows />}
    </Page>
  );
}

function Shown({ user, back }: { user: User; back: { to: '/console/users'; text: string } }) {
  const t = useTranslations('users');
  const [asked, ask] = useFilters(['do']);
  const isEditing = asked.do === 'edit';
  const setEditing = (isOpen: boolean) => ask({ do: isOpen ? 'edit' : undefined });
  const enrol = (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      renderRoot={(props) => (
        <Link to="/console/enrol" search={{ login: user.LoginID } as never} {...props} />
      )}
    >
      {t('enrol')}
    </Button>
  );
  return (
    <Page
      title={nameOf(user)}
      back={back}
      badge={<AccountBadges user={user} />}
      actions={
        <>
          <UserMenu user={user} />
          <Button
            variant="default"
            leftSection={<IconPencil size={16} aria-hidden />}
            onClick={() => setEditing(true)}
          >
            {t('edit')}
          </Button>
          {enrol}
        </>
      }
    >
      {!user.Enabled && (
        <Alert color="red" variant="light" title={t('isDisabled')}>
          <Stack gap="sm" align="flex-start">
            {t('isDisabledText')}
            <EnableButton user={user} />
          </Stack>
        </Alert>
      )}
      <BounceAlert user={user} onEdit={() => setEditing(true)} />
      <Paper withBorder p="lg" className="list">
        <UserFacts user={user} />
      </Paper>
      <UserObligations loginId={user.LoginID} />
      <Stack gap="sm">
        <Title order={2} size="h4">
          {t('enrolments')}
        </Title>
        <UserEnrolments loginId={user.LoginID} enrol={enrol} />
      </Stack>
      <UserCertificates loginId={user.LoginID} />
      <UserHolds loginId={user.LoginID} />
      <UserDialog user={user} isOpen={isEditing} onClose={() => setEditing(false)} />
    </Page>
  );
}

function UserFacts({ user }: { user: User }) {
  const t = useTranslations('users');
  const factorText = useFactorText();
  return (
    <LabelledValues>
      <LabelledValue label={t('loginId')}>
        <Copyable value={user.LoginID} label={t('loginId')} />
      </LabelledValue>
      <LabelledValue label={t('email')}>{user.Email ?? '–'}</LabelledValue>
      <LabelledValue label={t('groups')}>{user.Groups.join(', ') || '–'}</LabelledValue>
      {user.ManagerLoginID !== null && (
        <LabelledValue label={t('manager')}>
          <UserName loginId={user.ManagerLoginID} />
        </LabelledValue>
      )}
      {Object.entries(user.Attributes).map(([name, value]) => (
        <LabelledValue key={name} label={name}>
          {value}
        </LabelledValue>
      ))}
      <LabelledValue label={t('account')}>{user.Enabled ? t('enabled') : t('disabled')}</LabelledValue>
      <LabelledValue label={t('role')}>{user.IsAdmin ? t('administrator') : t('learner')}</LabelledValue>
      <LabelledValue label={t('registered')}>
        {user.Register ? t('registeredSelf') : t('registeredByClient')}
      </LabelledValue>
      {user.TimeFactor !== 1 && (
        <LabelledValue label={t('timeFactor.label')}>{factorText(user.TimeFactor)}</LabelledValue>
      )}
      {user.IsAdmin && <PasskeysValue user={user} />}
      <InvitationValue loginId={user.LoginID} />
      <LabelledValue label={t('created')}>
        <Instant at={user.CreatedAt} />
      </LabelledValue>
      <LabelledValue label={t('updated')}>
        <Instant at={user.UpdatedAt} />
      </LabelledValue>
    </LabelledValues>
  );
}
