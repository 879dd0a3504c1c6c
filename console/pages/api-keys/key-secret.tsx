import './api-keys.css';
import { Code, Group, Stack, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { CopyTextButton } from '../../parts/values.tsx';

type KeyWithSecret = components['schemas']['KeyWithSecret'];
type Scope = KeyWithSecret['Scopes'][number];

/** The lists that a key may be allowed to read, the most useful one first. */
const readable: readonly [Scope, string][] = [
  ['users:read', '/user'],
  ['enrolments:read', '/enrolment'],
  ['catalogue:read', '/catalogue/course'],
  ['events:read', '/events'],
];

/** A call that the key permits and that changes nothing: it reads a list or, for a write-only key, requests a token. */
export function exampleCommand({ KeyID, Secret, Scopes }: KeyWithSecret, origin: string): string {
  const path = readable.find(([scope]) => Scopes.includes(scope))?.[1];
  return path
    ? `curl '${origin}${path}' -H 'Authorization: Bearer ${Secret}'`
    : `curl '${origin}/oauth/token' -u '${KeyID}:${Secret}' -d grant_type=client_credentials`;
}

type Props = { made: KeyWithSecret | null; onClose: () => void };

export function NewSecret({ made, onClose }: Props) {
  const t = useTranslations('apiKeys');
  const line = made ? exampleCommand(made, location.origin) : '';
  return (
    <SecretDialog
      title={t('secretTitle', { name: made?.Name ?? '' })}
      text={t('secretText')}
      label={t('secret')}
      secret={made?.Secret ?? null}
      kept={t('secretKept')}
      onClose={onClose}
    >
      <Stack gap={4}>
        <Text size="sm" fw={600}>
          {t('tryIt')}
        </Text>
        <Code block className="wrapping">
          {line}
        </Code>
        <Group>
          <CopyTextButton value={line} text={t('copyLine')} />
        </Group>
      </Stack>
    </SecretDialog>
  );
}
