import { Badge, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { ConfirmButton, notify } from '../../parts/action.tsx';
import { List, paged } from '../../parts/list.tsx';
import { Message } from '../../parts/states.tsx';
import { Instant } from '../../parts/values.tsx';
import { NewKeyDialog } from './key-dialog.tsx';
import { NewSecret } from './key-secret.tsx';
import { scopesOfTenant } from './scopes.ts';

type Key = components['schemas']['Key'];

export function Keys({ tenantId }: { tenantId: string }) {
  const t = useTranslations('tenants');
  const { $api } = useApi();
  const [isOpen, setOpen] = useState(false);
  const [made, setMade] = useState<components['schemas']['KeyWithSecret'] | null>(null);
  const params = { path: { TenantID: tenantId } };
  const query = $api.useInfiniteQuery('get', '/tenant/{TenantID}/key', { params }, paged);
  const create = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen(true)}>
      {t('newKey')}
    </Button>
  );
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <Stack gap={4} maw={640}>
          <Title order={2} size="h3">
            {t('keys')}
          </Title>
          <Text size="sm" c="dimmed">
            {t('keysText')}
          </Text>
        </Stack>
        {create}
      </Group>
      <List
        label={t('keys')}
        query={query}
        rowKey={({ KeyID }) => KeyID}
        columns={[
          { key: 'name', header: t('keyName'), cell: (key) => <NameOfKey apiKey={key} /> },
          { key: 'scopes', header: t('scopesHeader'), cell: ({ Scopes }) => <ScopeList scopes={Scopes} /> },
          { key: 'created', header: t('createdAt'), cell: ({ CreatedAt }) => <Instant at={CreatedAt} /> },
          {
            key: 'used',
            header: t('lastUsed'),
            cell: ({ LastUsedAt }) => <Instant at={LastUsedAt} none={t('neverUsed')} />,
          },
          {
            key: 'expires',
            header: t('expires'),
            cell: ({ ExpiresAt }) => <Instant at={ExpiresAt} none={t('never')} />,
          },
          {
            key: 'revoke',
            header: t('revoke'),
            isActions: true,
            align: 'end',
            cell: (key) => !key.RevokedAt && <Revoke apiKey={key} tenantId={tenantId} />,
          },
        ]}
        empty={<Message title={t('noKeys')} text={t('noKeysText')} />}
      />
      <NewKeyDialog tenantId={tenantId} isOpen={isOpen} onClose={() => setOpen(false)} onMade={setMade} />
      <NewSecret made={made} onClose={() => setMade(null)} />
    </Stack>
  );
}

const isExpired = ({ ExpiresAt }: Key) => ExpiresAt !== null && Date.parse(ExpiresAt) <= Date.now();

function NameOfKey({ apiKey }: { apiKey: Key }) {
  const t = useTranslations('tenants');
  return (
    <Group gap="xs">
      <Text size="sm" fw={600} className="break">
        {apiKey.Name}
      </Text>
      {apiKey.RevokedAt ? (
        <Badge color="red">{t('revoked')}</Badge>
      ) : (
        isExpired(apiKey) && <Badge color="orange">{t('expired')}</Badge>
      )}
    </Group>
  );
}

function ScopeList({ scopes }: { scopes: Key['Scopes'] }) {
  const t = useTranslations('tenants');
  if (scopesOfTenant.every((scope) => scopes.includes(scope))) return <>{t('everything')}</>;
  return (
    <Group gap={4}>
      {scopes.map((scope) => (
        <Badge key={scope} color="gray">
          {scope}
        </Badge>
      ))}
    </Group>
  );
}

function Revoke({ apiKey, tenantId }: { apiKey: Key; tenantId: string }) {
  const t = useTranslations('tenants');
  const { $api } = useApi();
  const queries = useQueryClient();
  const revoke = $api.useMutation('delete', '/tenant/{TenantID}/key/{KeyID}');
  const { KeyID, Name } = apiKey;
  return (
    <ConfirmButton
      text={t('revoke')}
      title={t('revokeTitle', { name: Name })}
      question={t('revokeText')}
      confirm={t('revokeSubmit')}
      isDangerous
      button={{ size: 'xs' }}
      act={async () => {
        await revoke.mutateAsync({ params: { path: { TenantID: tenantId, KeyID } } });
        await queries.invalidateQueries();
        notify(t('revokedTold', { name: Name }));
      }}
    />
  );
}
