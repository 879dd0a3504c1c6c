import { Stack, Title } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { List } from '../../parts/list.tsx';
import { paged } from '../../parts/paged.ts';
import { useHoldColumns } from '../holds/columns.tsx';

/** Why this person must not be erased. Nothing if there is no reason. */
export function UserHolds({ loginId }: { loginId: string }) {
  const t = useTranslations('holds');
  const { $api } = useApi();
  const mayRead = useSession().Scopes.includes('holds:read');
  const columns = useHoldColumns();
  const params = { query: { LoginID: loginId } };
  const list = $api.useInfiniteQuery('get', '/hold', { params }, { ...paged, enabled: mayRead });
  if (!list.data?.pages[0]?.Items.length) return null;
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {t('title')}
      </Title>
      <List label={t('title')} query={list} rowKey={({ HoldID }) => HoldID} columns={columns} empty="" />
    </Stack>
  );
}
