import { useQueryClient } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { ConfirmButton } from '../../parts/action.tsx';
import { List } from '../../parts/list.tsx';
import { paged } from '../../parts/paged.ts';
import { Message } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { Instant } from '../../parts/values.tsx';
import { naming } from './naming.ts';
import { Created, type Key, NameOfKey, ScopeList } from './values.tsx';

/** Lists the keys of `tenantId`. Without it, lists those of the user's own tenant or the tenant chosen in the menu. */
export function KeyList({ tenantId }: { tenantId?: string }) {
  const t = useTranslations('apiKeys');
  const { $api } = useApi();
  const query = $api.useInfiniteQuery('get', '/key', { params: naming(tenantId) }, paged);
  return (
    <List
      label={t('title')}
      query={query}
      rowKey={({ KeyID }) => KeyID}
      columns={[
        { key: 'name', header: t('name'), share: 28, cell: (key) => <NameOfKey apiKey={key} /> },
        {
          key: 'scopes',
          header: t('scopesHeader'),
          share: 34,
          cell: ({ Scopes }) => <ScopeList scopes={Scopes} />,
        },
        {
          key: 'created',
          onPhone: 'hidden',
          header: t('created'),
          share: 28,
          cell: (key) => <Created apiKey={key} {...(tenantId === undefined ? {} : { tenantId })} />,
        },
        {
          key: 'used',
          header: t('lastUsed'),
          cell: ({ LastUsedAt }) => <Instant at={LastUsedAt} none={t('neverUsed')} isDay />,
        },
        {
          key: 'expires',
          header: t('expires'),
          cell: ({ ExpiresAt }) => <Instant at={ExpiresAt} none={t('never')} isDay />,
        },
        {
          key: 'revoke',
          header: t('revoke'),
          isActions: true,
          align: 'end',
          cell: (key) => !key.RevokedAt && <Revoke apiKey={key} tenantId={tenantId} />,
        },
      ]}
      empty={<Message title={t('none')} text={t('noneText')} />}
    />
  );
}

function Revoke({ apiKey, tenantId }: { apiKey: Key; tenantId: string | undefined }) {
  const t = useTranslations('apiKeys');
  const { $api } = useApi();
  const queries = useQueryClient();
  const revoke = $api.useMutation('delete', '/key/{KeyID}');
  const { KeyID, Name } = apiKey;
  return (
    <ConfirmButton
      text={t('revoke')}
      title={t('revokeTitle', { name: Name })}
      question={t('revokeText')}
      confirm={t('revokeSubmit')}
      isDangerous
      button={{ size: 'compact-sm' }}
      act={async () => {
        await revoke.mutateAsync({ params: { path: { KeyID }, ...naming(tenantId) } });
        await queries.invalidateQueries();
        notify(t('keyRevoked', { name: Name }));
      }}
    />
  );
}
