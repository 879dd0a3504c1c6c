import '../../parts/sample.css';
import { Code, Group, Stack, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { SecretDialog } from '../../parts/secret-dialog.tsx';
import { CopyTextButton, Instant } from '../../parts/values.tsx';

export type WithSecret = components['schemas']['WebhookWithSecret'];

const verifyLines = `import { Webhook } from 'standardwebhooks';

const webhook = new Webhook(process.env.WEBHOOK_SECRET);
const event = webhook.verify(rawBody, headers); // throws if it was not sent by us`;

type Props = { made: WithSecret | null; onClose: () => void };

export function WebhookSecret({ made, onClose }: Props) {
  const t = useTranslations('webhooks');
  return (
    <SecretDialog
      title={t('secretTitle')}
      text={t('secretText')}
      label={t('secret')}
      secret={made?.Secret ?? null}
      kept={t('secretKept')}
      onClose={onClose}
    >
      {made && made.PreviousSecretUntil !== null && (
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
    </SecretDialog>
  );
}
