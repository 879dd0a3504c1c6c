import { Alert, Button, Group, List, PasswordInput, Stack, TextInput, Title } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useAction } from '../../parts/action.tsx';
import { FailedAction } from '../../parts/states.tsx';

type Credentials = { name: string; password: string };

/** The result of one call: the xAPI versions, the number of statements, or the error. */
type Step = { succeeded: boolean; status: number; found: string };

const utf8 = (text: string) => String.fromCharCode(...new TextEncoder().encode(text));

/** Calls the service without the session's cookie, as an activity provider would. */
async function call(
  path: string,
  headers: Record<string, string>,
  found: (body: { version?: string[]; statements?: unknown[] }) => string,
): Promise<Step> {
  const response = await fetch(`${location.origin}/xapi/${path}`, { headers, credentials: 'omit' });
  const body = await response.json().catch(() => ({}));
  const { ok, status } = response;
  return { succeeded: ok, status, found: ok ? found(body) : String(body.detail ?? '') };
}

async function testCredentials({ name, password }: Credentials): Promise<{ about: Step; query: Step }> {
  const about = await call('about', {}, ({ version = [] }) => version.join(', '));
  const query = await call(
    'statements?limit=1',
    {
      Authorization: `Basic ${btoa(utf8(`${name}:${password}`))}`,
      'X-Experience-API-Version': '1.0.3',
    },
    ({ statements = [] }) => String(statements.length),
  );
  return { about, query };
}

type Props = { credentials: Credentials; onChange: (credentials: Credentials) => void };

export function TestForm({ credentials, onChange }: Props) {
  const t = useTranslations('statements.connect');
  const [result, setResult] = useState<Awaited<ReturnType<typeof testCredentials>> | null>(null);
  const testing = useAction(async () => {
    setResult(null);
    setResult(await testCredentials(credentials));
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void testing.run();
      }}
    >
      <Stack gap="sm">
        <Title order={3} size="h5">
          {t('testTitle')}
        </Title>
        <TextInput
          label={t('name')}
          description={t('nameText')}
          required
          autoComplete="off"
          spellCheck={false}
          value={credentials.name}
          onChange={(event) => onChange({ ...credentials, name: event.currentTarget.value.trim() })}
        />
        <PasswordInput
          label={t('password')}
          description={t('passwordText')}
          required
          autoComplete="off"
          visibilityToggleButtonProps={{ 'aria-label': t('showPassword') }}
          value={credentials.password}
          onChange={(event) => onChange({ ...credentials, password: event.currentTarget.value.trim() })}
        />
        <Group>
          <Button type="submit" loading={testing.isRunning}>
            {t('test')}
          </Button>
        </Group>
        <FailedAction error={testing.error} />
        {result && <Result {...result} />}
      </Stack>
    </form>
  );
}

function Result({ about, query }: { about: Step; query: Step }) {
  const t = useTranslations('statements.connect');
  const succeeded = about.succeeded && query.succeeded;
  const Icon = succeeded ? IconCheck : IconX;
  const lineOf = (name: 'about' | 'query', { succeeded, status, found }: Step) =>
    succeeded ? t(`well.${name}`, { found }) : t(`failed.${name}`, { status: String(status), detail: found });
  return (
    <Alert
      role="status"
      color={succeeded ? 'green' : 'red'}
      variant="light"
      icon={<Icon size={18} aria-hidden />}
      title={t(succeeded ? 'works' : 'fails')}
    >
      <List size="sm" className="break">
        <List.Item>{lineOf('about', about)}</List.Item>
        <List.Item>{lineOf('query', query)}</List.Item>
      </List>
    </Alert>
  );
}
