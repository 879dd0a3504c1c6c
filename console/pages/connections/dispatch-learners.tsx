import { Anchor, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { List } from '../../parts/list.tsx';
import { paged } from '../../parts/paged.ts';
import { Instant } from '../../parts/values.tsx';

/** Who has used a dispatch, with links to their results. */
export function DispatchLearners({ dispatchId, name }: { dispatchId: string; name: string }) {
  const t = useTranslations('platforms');
  const { $api } = useApi();
  const params = { path: { DispatchID: dispatchId }, query: {} };
  const query = $api.useInfiniteQuery('get', '/dispatch/{DispatchID}/learner', { params }, paged);
  return (
    <List
      label={`${t('learners')}: ${name}`}
      query={query}
      rowKey={({ LoginID }) => LoginID}
      columns={[
        {
          key: 'person',
          header: t('person'),
          cell: ({ LoginID, EnrollID }) => (
            <Anchor
              className="break"
              renderRoot={(props) => (
                <Link
                  to="/console/enrolments/$loginId/$enrollId"
                  params={{ loginId: LoginID, enrollId: EnrollID }}
                  {...props}
                />
              )}
            >
              {LoginID.split(':').slice(2).join(':') || LoginID}
            </Anchor>
          ),
        },
        { key: 'first', header: t('firstOpened'), cell: (row) => <Instant at={row.FirstOpenedAt} /> },
        { key: 'last', header: t('lastOpened'), cell: (row) => <Instant at={row.LastOpenedAt} /> },
      ]}
      empty={
        <Text size="sm" p="md">
          {t('noLearners')}
        </Text>
      }
    />
  );
}
