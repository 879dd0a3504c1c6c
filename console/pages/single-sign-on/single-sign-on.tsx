import { Badge, Button, Group, Stack, Switch, Text } from '@mantine/core';
import { IconShieldLock } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useAction } from '../../parts/action.tsx';
import { EditedRows, RowButtons } from '../../parts/edited-rows.tsx';
import { Page } from '../../parts/page.tsx';
import { FailedAction } from '../../parts/states.tsx';
import { Copyable, Note } from '../../parts/values.tsx';
import { type Test, TestResult } from '../connections/test-result.tsx';
import { type Provider, ProviderDialog } from './provider-form.tsx';
import { Directory } from './provisioning.tsx';

/** The company's own sign-in and directory. */
export default function SingleSignOn() {
  const t = useTranslations('singleSignOn');
  const { $api } = useApi();
  const asked = $api.useQuery('get', '/identity-provider');
  return (
    <Page title={t('title')} text={t('text')}>
      <Stack gap="xl" maw={760}>
        <EditedRows
          asked={asked}
          texts={{
            title: t('providers'),
            text: t('providersText'),
            add: t('add'),
            emptyTitle: t('emptyTitle'),
            emptyText: t('emptyText'),
          }}
          icon={<IconShieldLock size={36} stroke={1.5} aria-hidden />}
          row={(one, onEdit) => <Row key={one.ProviderID} provider={one} onEdit={onEdit} />}
          dialog={(provider, isOpen, onClose) => (
            <ProviderDialog provider={provider} isOpen={isOpen} onClose={onClose} />
          )}
        >
          <RequireSignIn />
        </EditedRows>
        <Directory />
      </Stack>
    </Page>
  );
}

function Row({ provider, onEdit }: { provider: Provider; onEdit: () => void }) {
  const t = useTranslations('singleSignOn');
  const { $api } = useApi();
  const { ProviderID, Name, Issuer, Enabled, RedirectURI } = provider;
  const params = { path: { ProviderID } };
  const test = $api.useMutation('post', '/identity-provider/{ProviderID}/test');
  const remove = $api.useMutation('delete', '/identity-provider/{ProviderID}');
  const [result, setResult] = useState<Test | null>(null);
  const trying = useAction(async () => setResult(await test.mutateAsync({ params })));
  return (
    <Stack gap="xs" role="group" aria-label={Name}>
      <Group justify="space-between" align="flex-start">
        <div>
          <Group gap="xs">
            <Text fw={600}>{Name}</Text>
            <Badge color={Enabled ? 'green' : 'gray'}>{t(Enabled ? 'enabled' : 'disabled')}</Badge>
          </Group>
          <Note>{Issuer}</Note>
        </div>
        <Group gap="xs">
          <Button variant="default" onClick={() => void trying.run()} loading={trying.isRunning}>
            {t('test')}
          </Button>
          <RowButtons onEdit={onEdit} remove={() => remove.mutateAsync({ params })} texts={t} />
        </Group>
      </Group>
      <Text size="sm" c="dimmed" component="div">
        {t('redirectUri')} <Copyable value={RedirectURI} label={t('redirectUri')} />
      </Text>
      <FailedAction error={trying.error} />
      {result && <TestResult result={result} />}
    </Stack>
  );
}

function RequireSignIn() {
  const t = useTranslations('singleSignOn');
  const { $api } = useApi();
  const queries = useQueryClient();
  const settings = $api.useQuery('get', '/settings');
  const put = $api.useMutation('put', '/settings');
  const saving = useAction(async (RequireSignIn: boolean) => {
    await put.mutateAsync({ body: { RequireSignIn } });
    await queries.invalidateQueries();
  });
  if (!settings.data) return null;
  return (
    <>
      <Switch
        label={t('requireSignIn')}
        description={t('requireSignInText')}
        checked={settings.data.RequireSignIn}
        disabled={saving.isRunning}
        onChange={(event) => void saving.run(event.currentTarget.checked)}
      />
      <FailedAction error={saving.error} />
    </>
  );
}
