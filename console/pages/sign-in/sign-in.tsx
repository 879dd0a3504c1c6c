import './sign-in.css';
import {
  Alert,
  Anchor,
  Button,
  Code,
  Divider,
  Paper,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useLocation, useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { FailedAction } from '../../parts/states.tsx';
import { useBranding, usePageTitle } from '../../shell/branding.tsx';
import { ProviderButtons } from './provider-buttons.tsx';
import { rememberedTenant, type SignInFailure, useSignIn } from './use-sign-in.ts';

export function SignIn({ onSignedIn }: { onSignedIn: () => void }) {
  const t = useTranslations('signIn');
  const { pathname } = useLocation();
  const { branding } = useBranding();
  usePageTitle(t('title'));
  return (
    <Paper className="sign-in" p={{ base: 'lg', sm: 'xl' }} radius="lg">
      <Stack gap="lg">
        <Title order={1} size="h2">
          {t('title')}
        </Title>
        {pathname === '/console/redeem' && <Text c="dimmed">{t('toRedeem')}</Text>}
        <SignInForm onSignedIn={onSignedIn} />
        <Anchor size="sm" href="/console/forgot" underline="always">
          {t('forgot')}
        </Anchor>
        {branding === null && (
          <>
            <Divider />
            <Text size="sm" c="dimmed" component="p" m={0}>
              {t.rich('operator', { code: (text) => <Code className="command">{text}</Code> })}
            </Text>
          </>
        )}
      </Stack>
    </Paper>
  );
}

function SignInForm({ onSignedIn }: { onSignedIn: () => void }) {
  const t = useTranslations('signIn');
  const navigate = useNavigate();
  const { tenant } = useSearch({ strict: false });
  const [typed, setTyped] = useState({
    TenantID: tenant ?? rememberedTenant(),
    LoginID: '',
    Password: '',
  });
  const { signIn, isRunning, refusal } = useSignIn(onSignedIn);
  const [tenantField, loginField, passwordField] = [
    useRef<HTMLInputElement>(null),
    useRef<HTMLInputElement>(null),
    useRef<HTMLInputElement>(null),
  ];
  useEffect(() => {
    (tenantField.current?.value ? loginField : tenantField).current?.focus();
  }, [tenantField, loginField]);

  const type = (name: keyof typeof typed) => (event: { currentTarget: HTMLInputElement }) => {
    const { value } = event.currentTarget;
    setTyped((before) => ({ ...before, [name]: value }));
  };
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!(await signIn(typed))) return passwordField.current?.select();
    // The session now identifies the organisation, so the URL no longer needs to.
    void navigate({
      to: '.',
      replace: true,
      hash: true,
      search: (before) => ({ ...before, tenant: undefined }),
    });
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          ref={tenantField}
          label={t('tenant')}
          description={t('tenantText')}
          name="organization"
          autoComplete="organization"
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
          value={typed.TenantID}
          onChange={type('TenantID')}
        />
        <TextInput
          ref={loginField}
          label={t('loginId')}
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          withAsterisk={false}
          value={typed.LoginID}
          onChange={type('LoginID')}
        />
        <Password value={typed.Password} onChange={type('Password')} field={passwordField} />
        <FailureMessage refusal={refusal} />
        <Button type="submit" loading={isRunning} fullWidth mt="xs">
          {t('submit')}
        </Button>
        <ProviderButtons tenant={typed.TenantID} login={typed.LoginID} />
      </Stack>
    </form>
  );
}

type PasswordProps = {
  value: string;
  onChange: (event: { currentTarget: HTMLInputElement }) => void;
  field: React.Ref<HTMLInputElement>;
};

function Password({ value, onChange, field }: PasswordProps) {
  const t = useTranslations('signIn');
  const [isVisible, setVisible] = useState(false);
  return (
    <PasswordInput
      ref={field}
      label={t('password')}
      name="password"
      autoComplete="current-password"
      required
      withAsterisk={false}
      value={value}
      onChange={onChange}
      visible={isVisible}
      onVisibilityChange={setVisible}
      visibilityToggleFocusable
      visibilityToggleButtonProps={{ 'aria-label': t(isVisible ? 'hidePassword' : 'showPassword') }}
    />
  );
}

function FailureMessage({ refusal }: { refusal: SignInFailure | null }) {
  const t = useTranslations('signIn');
  const format = useFormatter();
  if (!refusal) return null;
  if (refusal.kind === 'failed') return <FailedAction error={refusal.error} />;
  const at = refusal.kind === 'wait' && refusal.until;
  const text = at ? t('waitUntil', { at: format.dateTime(at, { timeStyle: 'short' }) }) : t(refusal.kind);
  return (
    <Alert color="red" variant="light" role="alert">
      {text}
    </Alert>
  );
}
