import { Stack, Title } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { List } from '../../parts/list.tsx';
import { paged } from '../../parts/paged.ts';
import { useCertificateColumns } from '../certificates/columns.tsx';

/** The certificates of a person, newest first. Nothing if there are none. */
export function UserCertificates({ loginId }: { loginId: string }) {
  const shell = useTranslations('shell');
  const { $api } = useApi();
  const columns = useCertificateColumns();
  const params = { query: { LoginID: loginId, Order: 'newest' as const } };
  const list = $api.useInfiniteQuery('get', '/certificate', { params }, paged);
  if (!list.data?.pages[0]?.Items.length) return null;
  return (
    <Stack gap="sm">
      <Title order={2} size="h4">
        {shell('pages.certificates')}
      </Title>
      <List
        label={shell('pages.certificates')}
        query={list}
        rowKey={({ Number: number }) => number}
        columns={columns}
        empty=""
      />
    </Stack>
  );
}
