import { Group, Stack, Text, Title } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { KeyList } from './key-list.tsx';
import { useNewKey } from './new-key.tsx';

/** The keys of a tenant as a section of its page. */
export function TenantKeys({ tenantId }: { tenantId: string }) {
  const t = useTranslations('apiKeys');
  const { button, dialogs } = useNewKey(tenantId);
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <Stack gap={4} maw={640}>
          <Title order={2} size="h3">
            {t('title')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('text')}
          </Text>
        </Stack>
        {button}
      </Group>
      <KeyList tenantId={tenantId} />
      {dialogs}
    </Stack>
  );
}
