import { Button, Group, Stack, Text } from '@mantine/core';
import { IconFingerprint } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { Instant } from '../../parts/values.tsx';
import { RemovePasskeyDialog, RenamePasskeyDialog } from './passkey-dialogs.tsx';
import type { Passkey } from './use-passkeys.ts';

export function PasskeyRow({ passkey }: { passkey: Passkey }) {
  const t = useTranslations('passkeys');
  const [dialog, setDialog] = useState<'rename' | 'remove' | null>(null);
  const close = () => setDialog(null);
  const { Name, CreatedAt, LastUsedAt } = passkey;
  return (
    <li>
      <Group gap="md" wrap="nowrap" miw={0}>
        <IconFingerprint size={24} stroke={1.5} aria-hidden />
        <Stack gap={0} miw={0}>
          <Text fw={600} className="break">
            {Name}
          </Text>
          <Text size="sm" c="dimmed" component="div">
            {t.rich('addedAt', { at: () => <Instant at={CreatedAt} /> })}
            {' · '}
            {LastUsedAt === null
              ? t('neverUsed')
              : t.rich('usedAt', { at: () => <Instant at={LastUsedAt} /> })}
          </Text>
        </Stack>
      </Group>
      <Group gap="xs">
        <Button
          variant="default"
          size="xs"
          aria-label={t('renameLabel', { name: Name })}
          onClick={() => setDialog('rename')}
        >
          {t('rename')}
        </Button>
        <Button
          variant="default"
          size="xs"
          aria-label={t('removeLabel', { name: Name })}
          onClick={() => setDialog('remove')}
        >
          {t('remove')}
        </Button>
      </Group>
      <RenamePasskeyDialog passkey={passkey} isOpen={dialog === 'rename'} onClose={close} />
      <RemovePasskeyDialog passkey={passkey} isOpen={dialog === 'remove'} onClose={close} />
    </li>
  );
}
