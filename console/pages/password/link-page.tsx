import '../sign-in/sign-in.css';
import { Button, Paper, Stack, Text, Title } from '@mantine/core';
import { IconLinkOff } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useEffect } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { toFailure } from '../../api/problem.ts';
import { useAction } from '../../parts/action.tsx';
import { Failed, FailedAction, Message, Waiting } from '../../parts/states.tsx';
import { LabelledValue, LabelledValues } from '../../parts/values.tsx';
import { useBranding, usePageTitle } from '../../shell/branding.tsx';
import { hashPassword } from '../sign-in/hash-password.ts';
import { rememberTenant } from '../sign-in/use-sign-in.ts';
import { NewPassword, useNewPassword } from './new-password.tsx';

export type OpenLink = components['schemas']['OpenInvitation'];

type Props = {
  kind: 'invitation' | 'reset';
  /** `openLink` and `accept` throw the service's error. The token is sent only in request bodies. */
  openLink: (token: string) => Promise<OpenLink>;
  accept: (body: { Token: string; Password: string }) => Promise<void>;
  show: (link: OpenLink) => { title: string; text: string; submit: string; footer?: ReactNode };
  ended: { title: string; text: string; action: string; href: string };
};

const isEnded = (error: unknown) =>
  ['invitation_ended', 'reset_ended', 'validation_failed'].includes(toFailure(error).code);

/** The page behind a link for setting a password. */
export function LinkPage(props: Props) {
  const { kind, openLink, ended } = props;
  const token = location.hash.slice(1);
  const { data, error, isPending, refetch } = useQuery({
    // The key begins with 'session', because all other cached data is removed when nobody is signed in.
    queryKey: ['session', kind, token],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: () => openLink(token),
  });
  const { show } = useBranding();
  useEffect(() => show(data?.Branding), [show, data]);
  if (isPending) return <Waiting isForm />;
  if (data) return <ChoosePassword {...props} token={token} link={data} />;
  return isEnded(error) ? <Ended ended={ended} /> : <Failed isPage error={error} onRetry={refetch} />;
}

function Ended({ ended: { title, text, action, href } }: Pick<Props, 'ended'>) {
  return (
    <Message isPage icon={<IconLinkOff size={36} stroke={1.5} aria-hidden />} title={title} text={text}>
      <Button component="a" href={href} variant="default">
        {action}
      </Button>
    </Message>
  );
}

function ChoosePassword({ accept, show, ended, token, link }: Props & { token: string; link: OpenLink }) {
  const t = useTranslations('invitation');
  const { TenantID, TenantName, LoginID, FirstName, LastName, PasswordHash } = link;
  const { title, text, submit, footer } = show(link);
  usePageTitle(title);
  const chosen = useNewPassword([TenantName, LoginID, FirstName, LastName]);
  const accepting = useAction(async () => {
    await accept({ Token: token, Password: hashPassword(chosen.value, PasswordHash) });
    rememberTenant(TenantName === TenantID ? TenantID : TenantName);
    // Loads a new page, so that no data of a previous user of this browser remains in memory.
    location.replace('/console/');
  });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (chosen.check()) void accepting.run();
  };
  if (isEnded(accepting.error)) return <Ended ended={ended} />;
  return (
    <Paper className="sign-in" p={{ base: 'lg', sm: 'xl' }} radius="lg">
      <form onSubmit={onSubmit}>
        <Stack gap="lg">
          <Stack gap="xs">
            <Title order={1} size="h2" className="break">
              {title}
            </Title>
            <Text c="dimmed">{text}</Text>
          </Stack>
          <LabelledValues>
            <LabelledValue label={t('tenant')}>{TenantName}</LabelledValue>
            <LabelledValue label={t('loginId')}>{LoginID}</LabelledValue>
          </LabelledValues>
          <input type="text" name="username" autoComplete="username" value={LoginID} readOnly hidden />
          <NewPassword state={chosen} />
          <FailedAction error={accepting.error} />
          <Button type="submit" loading={accepting.isRunning} fullWidth size="md">
            {submit}
          </Button>
          {footer}
        </Stack>
      </form>
    </Paper>
  );
}
