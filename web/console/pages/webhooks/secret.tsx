import { Alert, Button, Code, Group, Modal, Stack, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { components } from '../../../../client/src/generated.ts';
import { Copyable, CopyTextButton, Instant } from '../../parts/values.tsx';

export type WithSecret = components['schemas']['WebhookWithSecret'];

const verifyLines = `import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
const event = webhook.verify(rawBody, headers); // throws if it was not sent by us`;

type Props = { made: WithSecret | null; onClose: () => void };

/** The one time that the secret is seen. Only its button closes it: nothing is lost by a slip. */
export function SecretDialog({ made, onClose }: Props) {
  const t = useTranslations('webhooks');
  return (
    <Modal
      opened={made !== null}
      onClose={onClose}
      title={t('secretTitle')}
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
          {made.PreviousSecretUntil !== null && (
            <Text size="sm">
              {t.rich('overlapUntil', { at: () => <Instant at={made.PreviousSecretUntil} /> })}
            </Text>
          )}
          <Stack gap="xs">
            <Text size="sm" fw={600}>
              {t('verify')}
            </Text>
            <Text size="sm" c="dimmed">
              {t('verifyText')}
            </Text>
            <Code block className="sample" tabIndex={0} role="group" aria-label={t('verify')}>
              {verifyLines}
            </Code>
            <Group>
              <CopyTextButton value={verifyLines} text={t('copyLines')} />
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
