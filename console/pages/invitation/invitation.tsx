import '../sign-in/sign-in.css';
import { Anchor, Button, Paper, Stack, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { IconLinkOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { toFailure } from '../../api/problem.ts';
import { nameOf } from '../../api/session.tsx';
import { useAction } from '../../parts/action.tsx';
import { Failed, FailedAction, Message, Waiting } from '../../parts/states.tsx';
import { LabelledValue, LabelledValues } from '../../parts/values.tsx';
import { NewPassword, useNewPassword } from '../password/new-password.tsx';
import { hashPassword } from '../sign-in/hash-password.ts';
import { rememberTenant } from '../sign-in/use-sign-in.ts';

type Open = components['schemas']['OpenInvitation'];

const isEnded = (error: unknown) => ['invitation_ended', 'validation_failed'].includes(toFailure(error).code);

/** The page of an invitation's link. The token after # is sent only in the bodies of our own requests. */
export default function Invitation() {
  const { client } = useApi();
  const token = location.hash.slice(1);
  const { data, error, isPending, refetch } = useQuery({
    // The key begins with 'session', because all other cached data is removed when nobody is signed in.
    queryKey: ['session', 'invitation', token],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async () => {
      const { data, error } = await client.POST('/session/invitation/check', { body: { Token: token } });
      if (!data) throw error;
      return data;
    },
  });
  if (isPending) return <Waiting />;
  if (data) return <Accept token={token} invitation={data} />;
  return isEnded(error) ? <Ended /> : <Failed isPage error={error} onRetry={refetch} />;
}

function Ended() {
  const t = useTranslations('invitation');
  return (
    <Message
      isPage
      icon={<IconLinkOff size={36} stroke={1.5} aria-hidden />}
      title={t('endedTitle')}
      text={t('endedText')}
    >
      <Button component="a" href="/console/" variant="default">
        {t('toSignIn')}
      </Button>
    </Message>
  );
}

function Accept({ token, invitation }: { token: string; invitation: Open }) {
  const t = useTranslations('invitation');
  const format = useFormatter();
  const { client } = useApi();
  const { TenantID, TenantName, LoginID, FirstName, LastName, PasswordHash, ExpiresAt } = invitation;
  const name = FirstName || LastName ? nameOf(invitation) : null;
  const title = name ? t('titleWithName', { name }) : t('title');
  useDocumentTitle(`${title} · Lectern`);
  const chosen = useNewPassword([TenantName, LoginID, FirstName, LastName]);
  const accepting = useAction(async () => {
    const body = { Token: token, Password: hashPassword(chosen.value, PasswordHash) };
    const { error } = await client.POST('/session/invitation', { body });
    if (error) throw error;
    rememberTenant(TenantName === TenantID ? TenantID : TenantName);
    // A new page, so that nothing remains of a previous user of this browser.
    location.replace('/console/');
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (chosen.check()) void accepting.run();
  };
  if (isEnded(accepting.error)) return <Ended />;
  return (
    <Paper className="sign-in" p={{ base: 'lg', sm: 'xl' }} radius="lg">
      <form onSubmit={submit}>
        <Stack gap="lg">
          <Stack gap="xs">
            <Title order={1} size="h2" className="break">
              {title}
            </Title>
            <Text c="dimmed">{t('text', { tenant: TenantName })}</Text>
          </Stack>
          <LabelledValues>
            <LabelledValue label={t('tenant')}>{TenantName}</LabelledValue>
            <LabelledValue label={t('loginId')}>{LoginID}</LabelledValue>
          </LabelledValues>
          <input type="text" name="username" autoComplete="username" value={LoginID} readOnly hidden />
          <NewPassword state={chosen} />
          <FailedAction error={accepting.error} />
          <Button type="submit" loading={accepting.isRunning} fullWidth size="md">
            {t('submit')}
          </Button>
          <Text size="sm" c="dimmed">
            {t('until', { at: format.dateTime(new Date(ExpiresAt), { dateStyle: 'long' }) })}{' '}
            <Anchor href="/console/" underline="always" inherit>
              {t('hasPassword')}
            </Anchor>
          </Text>
        </Stack>
      </form>
    </Paper>
  );
}
