import { Stack } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { Page } from '../../parts/page.tsx';
import { Activity } from './activity.tsx';
import { Attention } from './attention.tsx';
import { Required } from './required.tsx';

/** One tenant at a glance: what needs attention, and recent activity. */
export default function Overview() {
  const t = useTranslations('home');
  const { TenantName } = useSession();
  const { tenant } = useApi();
  return (
    <Page title={t('overview')} text={TenantName ?? tenant}>
      <Stack gap="xl">
        <Required />
        <Attention />
        <Activity />
      </Stack>
    </Page>
  );
}
