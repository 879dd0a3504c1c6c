import { Stack, Text, Title } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { BrandingPanel } from './panel.tsx';

/** The branding of a tenant as a section of its page. */
export function TenantBranding({ tenantId, name }: { tenantId: string; name: string }) {
  const t = useTranslations('branding');
  return (
    <Stack component="section" aria-label={t('title')}>
      <Stack gap={4} maw={640}>
        <Title order={2} size="h3">
          {t('title')}
        </Title>
        <Text size="sm" c="dimmed">
          {t('text')}
        </Text>
      </Stack>
      <BrandingPanel tenantId={tenantId} name={name} />
    </Stack>
  );
}
