import '../../parts/plan.css';
import { Badge, Button, Group, Modal, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { ConfirmButton, useAction } from '../../parts/action.tsx';
import { focusFirst } from '../../parts/focus-first.ts';
import { Failed, FailedAction, WaitingRows } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';

type Tenant = components['schemas']['Tenant'];
type Deletion = components['schemas']['TenantDeletion'];

const colours = { active: 'green', test: 'yellow', suspended: 'red' } as const;

export function TenantStatus({ status }: { status: Tenant['Status'] }) {
  const t = useTranslations('tenants');
  return <Badge color={colours[status]}>{t(`statuses.${status}`)}</Badge>;
}

/** Suspending locks everyone out immediately, so this asks for confirmation. */
export function SuspendButton({ tenant }: { tenant: Tenant }) {
  const t = useTranslations('tenants');
  const { $api } = useApi();
  const queries = useQueryClient();
  const change = $api.useMutation('put', '/tenant/{TenantID}');
  const { TenantID, Name } = tenant;
  const isActive = tenant.Status !== 'suspended';
  const act = async () => {
    const Status = isActive ? 'suspended' : 'active';
    await change.mutateAsync({ params: { path: { TenantID } }, body: { Status } });
    await queries.invalidateQueries();
    notify(t(isActive ? 'suspended' : 'resumed', { name: Name }));
  };
  return (
    <ConfirmButton
      text={t(isActive ? 'suspend' : 'resume')}
      title={t(isActive ? 'suspendTitle' : 'resumeTitle', { name: Name })}
      question={t(isActive ? 'suspendText' : 'resumeText')}
      confirm={t(isActive ? 'suspend' : 'resume')}
      isDangerous={isActive}
      act={act}
    />
  );
}

/** For a suspended tenant: export or delete its data. */
export function LeavingTenant({ tenant }: { tenant: Tenant }) {
  const t = useTranslations('tenants');
  const [isOpen, setOpen] = useState(false);
  const { TenantID } = tenant;
  return (
    <Stack gap="xs" mt="xl">
      <Title order={2} size="h4">
        {t('leaving')}
      </Title>
      <Text size="sm" c="dimmed">
        {t('leavingText')}
      </Text>
      <Group>
        <Button
          variant="default"
          component="a"
          href={`/tenant/${encodeURIComponent(TenantID)}/export`}
          download={`${TenantID}.ndjson`}
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          {t('export')}
        </Button>
        <Button variant="default" c="red" onClick={() => setOpen(true)}>
          {t('delete')}
        </Button>
      </Group>
      <DeleteDialog tenant={tenant} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Stack>
  );
}

type DialogProps = { tenant: Tenant; isOpen: boolean; onClose: () => void };

/** Shows what will be deleted and what will be kept, and then asks for confirmation. */
function DeleteDialog({ tenant, isOpen, onClose }: DialogProps) {
  const t = useTranslations('tenants');
  const act = useTranslations('act');
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('deleteTitle', { name: tenant.Name })}
      size="lg"
      closeButtonProps={{ 'aria-label': act('close') }}
    >
      <Plan tenant={tenant} onClose={onClose} />
    </Modal>
  );
}

function Plan({ tenant, onClose }: Omit<DialogProps, 'isOpen'>) {
  const t = useTranslations('tenants');
  const texts = useTranslations('act');
  const { client, $api } = useApi();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [typed, setTyped] = useState('');
  const { TenantID, Name } = tenant;
  const path = { TenantID };
  const query = { Plan: true };
  const plan = $api.useQuery('delete', '/tenant/{TenantID}', { params: { path, query } }, { gcTime: 0 });
  const deleting = useAction(async () => {
    const { error } = await client.DELETE('/tenant/{TenantID}', { params: { path } });
    if (error) throw error;
    notify(t('deleted', { name: Name }));
    await navigate({ to: '/console/tenants', search: {} });
    await queries.invalidateQueries();
  });
  if (plan.error) return <Failed error={plan.error} onRetry={plan.refetch} />;
  if (!plan.data) return <WaitingRows rows={6} />;
  return (
    <form
      ref={focusFirst}
      onSubmit={(event) => {
        event.preventDefault();
        void deleting.run();
      }}
    >
      <Stack>
        <Text>{t('deleteText')}</Text>
        <DeletedData deletion={plan.data} />
        <TextInput
          label={t('deleteConfirm', { tenantId: TenantID })}
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          autoComplete="off"
          spellCheck={false}
        />
        <FailedAction error={deleting.error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts('cancel')}
          </Button>
          <Button type="submit" color="red.8" disabled={typed !== TenantID} loading={deleting.isRunning}>
            {t('deleteNow')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function DeletedData({ deletion }: { deletion: Deletion }) {
  const t = useTranslations('tenants');
  const gone = deletion.Deleted.filter(({ Records }) => Records > 0);
  return (
    <>
      <Title order={3} size="h6">
        {t('goes')}
      </Title>
      <ul className="plan">
        {gone.map(({ Data, Records, More, What }) => (
          <li key={Data}>
            <Text size="sm">
              {What} {t(More ? 'moreRecords' : 'records', { count: Records })}
            </Text>
          </li>
        ))}
      </ul>
      <Title order={3} size="h6">
        {t('stays')}
      </Title>
      <ul className="plan">
        {deletion.Kept.map(({ Data, What, Why }) => (
          <li key={Data}>
            <Text size="sm">{What}</Text>
            <Text size="xs" c="dimmed">
              {Why}
            </Text>
          </li>
        ))}
      </ul>
    </>
  );
}
