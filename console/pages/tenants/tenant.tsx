import { Button } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { Page } from '../../parts/page.tsx';
import { Failed, Waiting } from '../../parts/states.tsx';
import { Copyable, Instant, LabelledValue, LabelledValues } from '../../parts/values.tsx';
import { TenantKeys } from '../api-keys/tenant-keys.tsx';
import { TenantBranding } from '../branding/tenant-branding.tsx';
import { LeavingTenant, SuspendButton, TenantStatus } from './lifecycle.tsx';
import { EditTenantDialog } from './tenant-dialog.tsx';
import { TestTenant } from './test-tenant.tsx';

type Tenant = components['schemas']['Tenant'];

export default function TenantPage() {
  const { tenantId = '' } = useParams({ strict: false });
  const { $api } = useApi();
  const asked = $api.useQuery('get', '/tenant/{TenantID}', { params: { path: { TenantID: tenantId } } });
  if (asked.isPending) return <Waiting />;
  if (!asked.data) return <Failed isPage error={asked.error} onRetry={() => asked.refetch()} />;
  return <Shown tenant={asked.data} />;
}

function Shown({ tenant }: { tenant: Tenant }) {
  const t = useTranslations('tenants');
  const [isEditing, setEditing] = useState(false);
  const { TenantID, Name, PasswordHash, ReturnOrigins, FrameOrigins, CreatedAt } = tenant;
  const actions = (
    <>
      <Button variant="default" onClick={() => setEditing(true)}>
        {t('edit')}
      </Button>
      <SuspendButton tenant={tenant} />
      <Button
        rightSection={<IconArrowRight size={16} aria-hidden />}
        renderRoot={(props) => <Link to="/console" search={{ tenant: TenantID }} {...props} />}
      >
        {t('act')}
      </Button>
    </>
  );
  return (
    <Page
      title={Name}
      back={{ to: '/console/tenants', text: t('title') }}
      badge={<TenantStatus status={tenant.Status} />}
      actions={actions}
    >
      <LabelledValues>
        <LabelledValue label={t('tenantId')}>
          <Copyable value={TenantID} label={t('tenantId')} />
        </LabelledValue>
        <LabelledValue label={t('passwordHash')}>{t(`hashes.${PasswordHash}`)}</LabelledValue>
        <LabelledValue label={t('secondFactor')}>{t(`secondFactors.${tenant.SecondFactor}`)}</LabelledValue>
        <LabelledValue label={t('returnOrigins')}>
          {ReturnOrigins?.join(', ') ?? t('anyOrigin')}
        </LabelledValue>
        <LabelledValue label={t('frameOrigins')}>{FrameOrigins?.join(', ') ?? t('anyOrigin')}</LabelledValue>
        {tenant.IssuerDomains.length > 0 && (
          <LabelledValue label={t('issuerDomains')}>{tenant.IssuerDomains.join(', ')}</LabelledValue>
        )}
        <LabelledValue label={t('createdAt')}>
          <Instant at={CreatedAt} />
        </LabelledValue>
      </LabelledValues>
      {tenant.Status === 'test' && <TestTenant tenantId={TenantID} />}
      <TenantBranding tenantId={TenantID} name={Name} />
      <TenantKeys tenantId={TenantID} />
      {tenant.Status === 'suspended' && <LeavingTenant tenant={tenant} />}
      {isEditing && <EditTenantDialog tenant={tenant} isOpen onClose={() => setEditing(false)} />}
    </Page>
  );
}
