import '../sign-in/sign-in.css';
import { Alert, Anchor, Button, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { toFailure } from '../../api/problem.ts';
import { useAction } from '../../parts/action.tsx';
import { FailedAction, Message } from '../../parts/states.tsx';
import { usePageTitle } from '../../shell/branding.tsx';
import { rememberedTenant } from '../sign-in/use-sign-in.ts';

/** Requests a link. The page says the same whether or not the account exists. */
export default function ForgotPassword() {
  const t = useTranslations('password.forgot');
  const names = useTranslations('signIn');
  usePageTitle(t('title'));
  const { client } = useApi();
  const [typed, setTyped] = useState({ TenantID: rememberedTenant(), LoginID: '' });
  const [isSent, setSent] = useState(false);
  const sending = useAction(async () => {
    const { error } = await client.POST('/session/reset', { body: typed });
    if (error) throw error;
    setSent(true);
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void sending.run();
  };
  if (isSent) return <Sent />;
  return (
    <Paper className="sign-in" p={{ base: 'lg', sm: 'xl' }} radius="lg">
      <form onSubmit={submit}>
        <Stack gap="lg">
          <Stack gap="xs">
            <Title order={1} size="h2">
              {t('title')}
            </Title>
            <Text c="dimmed">{t('text')}</Text>
          </Stack>
          <TextInput
            label={names('tenant')}
            name="organization"
            autoComplete="organization"
            autoCapitalize="none"
            spellCheck={false}
            required
            withAsterisk={false}
            value={typed.TenantID}
            onChange={(event) => setTyped({ ...typed, TenantID: event.currentTarget.value })}
          />
          <TextInput
            label={names('loginId')}
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            spellCheck={false}
            required
            withAsterisk={false}
            value={typed.LoginID}
            onChange={(event) => setTyped({ ...typed, LoginID: event.currentTarget.value })}
          />
          <Refusal error={sending.error} />
          <Button type="submit" loading={sending.isRunning} fullWidth size="md">
            {t('submit')}
          </Button>
          <Anchor href="/console/" size="sm">
            {t('back')}
          </Anchor>
        </Stack>
      </form>
    </Paper>
  );
}

function Sent() {
  const t = useTranslations('password.forgot');
  return (
    <Message
      isPage
      icon={<IconMail size={36} stroke={1.5} aria-hidden />}
      title={t('sentTitle')}
      text={t('sentText')}
    >
      <Button component="a" href="/console/" variant="default">
        {t('back')}
      </Button>
    </Message>
  );
}

const known: Record<string, 'off' | 'wait'> = { mail_not_configured: 'off', login_throttled: 'wait' };

function Refusal({ error }: { error: unknown }) {
  const t = useTranslations('password.forgot');
  const text = known[toFailure(error).code];
  if (text === undefined) return <FailedAction error={error} />;
  return (
    <Alert color="orange" variant="light" role="alert">
      {t(text)}
    </Alert>
  );
}
