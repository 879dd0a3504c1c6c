import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { List } from '../../parts/list.tsx';
import { paged } from '../../parts/paged.ts';
import { Section } from '../../parts/section.tsx';
import { useCertificateColumns } from '../certificates/columns.tsx';

/** The certificates of a person, newest first. Nothing if there are none. */
export function UserCertificates({ loginId }: { loginId: string }) {
  const shell = useTranslations('shell');
  const t = useTranslations('certificates');
  const { $api } = useApi();
  const columns = useCertificateColumns();
  const params = { query: { LoginID: loginId, Order: 'newest' as const } };
  const list = $api.useInfiniteQuery('get', '/certificate', { params }, paged);
  if (!list.data?.pages[0]?.Items.length) return null;
  return (
    <Section
      isShort
      isLandmark={false}
      title={shell('pages.certificates')}
      actions={
        <Anchor
          size="sm"
          renderRoot={(props) => (
            <Link to="/console/certificates" search={{ login: loginId } as never} {...props} />
          )}
        >
          {t('filtered')}
        </Anchor>
      }
    >
      <List
        label={shell('pages.certificates')}
        query={list}
        rowKey={({ Number: number }) => number}
        columns={columns}
        empty=""
      />
    </Section>
  );
}
