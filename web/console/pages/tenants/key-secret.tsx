import './tenants.css';
import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { components } from '../../../../client/src/generated.ts';
import { Copyable, CopyTextButton } from '../../parts/values.tsx';

type KeyWithSecret = components['schemas']['KeyWithSecret'];
type Scope = KeyWithSecret['Scopes'][number];

/** What a key can read, the most telling first. */
const readable: readonly [Scope, string][] = [
  ['users:read', '/user'],
  ['enrolments:read', '/enrolment'],
  ['catalogue:read', '/catalogue/course'],
  ['events:read', '/events'],
  ['webhooks:write', '/webhook'],
];

/** A call that this key may make and that changes nothing: a list, or for a key that only writes an access token. */
export function tryLine({ KeyID, Secret, Scopes }: KeyWithSecret, origin: string): string {
  const path = readable.find(([scope]) => Scopes.includes(scope))?.[1];
  return path
    ? `curl '${origin}${path}' -H 'Authorization: Bearer ${Secret}'`
    : `curl '${origin}/oauth/token' -u '${KeyID}:${Secret}' -d grant_type=client_credentials`;
}

type Props = { made: KeyWithSecret | null; onClose: () => void };

/** The one time that the secret is seen. Only its button closes it: nothing is lost by a slip. */
export function NewSecret({ made, onClose }: Props) {
  const t = useTranslations('tenants');
  const line = made ? tryLine(made, location.origin) : '';
  return (
    <Modal
      opened={made !== null}
      onClose={onClose}
      title={t('secretTitle', { name: made?.Name ?? '' })}
      size="lg"
      withCloseButton={false}
      closeOnClickOutside={false}
      closeOnEscape={false}
    >
      {made && (
        <Stack>
          <Alert color="orange" variant="light">
            {t('secretText')}
          </Alert>
          <Stack gap={4}>
            <Text size="sm" fw={600}>
              {t('secret')}
            </Text>
            <Copyable value={made.Secret} label={t('secret')} />
          </Stack>
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
          <Group justify="flex-end">
            <Button onClick={onClose}>{t('secretKept')}</Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
