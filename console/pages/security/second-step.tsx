import '../sign-in/sign-in.css';
import { Anchor, Button, Code, Paper, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { IconFingerprint } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl';
import { nameOf, type Session } from '../../api/session.tsx';
import { useAction } from '../../parts/action.tsx';
import { PageTexts } from '../../shell/intl.tsx';
import { PasskeyFailure } from './passkey-failure.tsx';
import { nameOfDevice, usePasskeys } from './use-passkeys.ts';

type Props = { session: Session; onDone: () => void; onSignOut: () => void };

/** Shown instead of every other page until the user has used a passkey, or has added one if they need it. */
export function SecondStep(props: Props) {
  return (
    <PageTexts>
      {props.session.NextStep === 'add_passkey' ? <AddStep {...props} /> : <UseStep {...props} />}
    </PageTexts>
  );
}

type CardProps = {
  title: string;
  text: ReactNode;
  error: unknown;
  onSubmit: () => void;
  onSignOut: () => void;
  children: ReactNode;
  help: ReactNode;
};

function Card({ title, text, error, onSubmit, onSignOut, children, help }: CardProps) {
  const t = useTranslations('passkeys.step');
  useDocumentTitle(`${title} · Lectern`);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <Paper className="sign-in" p={{ base: 'lg', sm: 'xl' }} radius="lg">
      <form onSubmit={submit}>
        <Stack gap="lg">
          <IconFingerprint size={40} stroke={1.4} color="var(--mantine-primary-color-filled)" aria-hidden />
          <Stack gap="xs">
            <Title order={1} size="h2">
              {title}
            </Title>
            <Text c="dimmed">{text}</Text>
          </Stack>
          <PasskeyFailure error={error} />
          {children}
          <Text size="sm" c="dimmed" component="div">
            {help}
          </Text>
          <Anchor
            component="button"
            type="button"
            size="sm"
            underline="always"
            onClick={onSignOut}
            w="max-content"
          >
            {t('signOut')}
          </Anchor>
        </Stack>
      </form>
    </Paper>
  );
}

function UseStep({ session, onDone, onSignOut }: Props) {
  const t = useTranslations('passkeys.step');
  const { use } = usePasskeys();
  const using = useAction(async () => {
    await use();
    onDone();
  });
  const isOperator = session.Role === 'operator';
  return (
    <Card
      title={t('useTitle')}
      text={isOperator ? t('useTextOperator') : t('useText', { name: nameOf(session) })}
      error={using.error}
      onSubmit={using.run}
      onSignOut={onSignOut}
      help={isOperator ? t.rich('lostOperator', { code: (text) => <Code>{text}</Code> }) : t('lost')}
    >
      <Button type="submit" size="md" fullWidth loading={using.isRunning} data-autofocus autoFocus>
        {t('use')}
      </Button>
    </Card>
  );
}

function AddStep({ session, onDone, onSignOut }: Props) {
  const t = useTranslations('passkeys.step');
  const names = useTranslations('passkeys');
  const { add } = usePasskeys();
  const [name, setName] = useState(nameOfDevice);
  const adding = useAction(async () => {
    await add(name.trim() || names('unnamed'));
    onDone();
  });
  return (
    <Card
      title={t('addTitle')}
      text={
        session.Role === 'operator'
          ? t('addTextOperator')
          : t('addText', { tenant: session.TenantName ?? '' })
      }
      error={adding.error}
      onSubmit={adding.run}
      onSignOut={onSignOut}
      help={t('addHelp')}
    >
      <TextInput
        label={names('name')}
        description={names('nameText')}
        maxLength={100}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        inputWrapperOrder={['label', 'input', 'description']}
      />
      <Button type="submit" size="md" fullWidth loading={adding.isRunning}>
        {t('add')}
      </Button>
    </Card>
  );
}
