import { Alert, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { EventTypeFilter, isEventType } from '../../parts/event-type-filter.tsx';
import { FilteredList, ListFilterBar, useListFilters, useListRows } from '../../parts/filtered-list.tsx';
import type { Column } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Message } from '../../parts/states.tsx';
import { Instant, None } from '../../parts/values.tsx';
import { LearnerPicker } from '../enrolments/pickers.tsx';
import { ListedUser } from '../users/person.tsx';
import { EventDialog } from './event.tsx';
import { ExportButton } from './export.tsx';
import type { Event } from './record.ts';

function useColumns(open: (eventId: string) => void): Column<Event>[] {
  const t = useTranslations('events');
  const titles = useCourseTitles();
  return [
    {
      key: 'what',
      header: t('what'),
      share: 42,
      cell: ({ Type }) => (
        <Text size="sm" fw={600} span title={Type}>
          {t(`types.${Type}`)}
        </Text>
      ),
    },
    {
      key: 'learner',
      header: t('learner'),
      share: 24,
      cell: ({ LoginID }) => <ListedUser loginId={LoginID} />,
    },
    {
      key: 'course',
      header: t('course'),
      share: 20,
      cell: ({ CourseID }) => (
        <span className="break">{(CourseID !== null && titles.get(CourseID)) || (CourseID ?? <None />)}</span>
      ),
    },
    { key: 'at', header: t('at'), onPhone: 'plain', cell: ({ OccurredAt }) => <Instant at={OccurredAt} /> },
    {
      key: 'actions',
      header: t('actions'),
      isActions: true,
      align: 'end',
      cell: ({ EventID }) => (
        <Button size="compact-sm" variant="default" onClick={() => open(EventID)}>
          {t('show')}
        </Button>
      ),
    },
  ];
}

/** The titles of the courses by their IDs, as far as one page of the list has them. */
function useCourseTitles(): ReadonlyMap<string, string> {
  const { $api } = useApi();
  const params = { query: { Limit: 200 } };
  const { data } = $api.useQuery('get', '/catalogue/course', { params }, { staleTime: 60_000 });
  return new Map(data?.Items.map(({ CourseID, Title }) => [CourseID, Title]));
}

/** The event log, newest first. */
export default function Events() {
  const t = useTranslations('events');
  const shell = useTranslations('shell');
  const [opened, setOpened] = useState<Event | null>(null);
  const at = useListFilters([
    {
      name: 'learner',
      query: (LoginID) => ({ LoginID }),
      field: (props) => <LearnerPicker {...props} />,
    },
    {
      name: 'type',
      query: (Types) => (isEventType(Types) ? { Types } : {}),
      field: (props) => <EventTypeFilter {...props} />,
    },
    // Links to this page set it.
    { name: 'enrolment', query: (EnrollID) => ({ EnrollID }), field: () => null },
  ]);
  const rows = useListRows<Event>({
    ...{ path: '/events', at, counts: false, refreshes: true },
    order: { Order: 'newest', Limit: 50 },
    rowKey: ({ EventID }) => EventID,
  });
  const shown = rows.list.data?.pages.flatMap(({ Items }) => Items) ?? [];
  const columns = useColumns((id) => setOpened(shown.find(({ EventID }) => EventID === id) ?? null));
  return (
    <Page
      title={shell('pages.events')}
      text={t('text')}
      actions={shown.length > 0 && <ExportButton query={{ ...at.wanted, Order: 'newest' }} />}
    >
      <ListFilterBar at={at} />
      {at.values.enrolment && (
        <Alert color="gray" variant="light">
          <Group gap="xs">
            <Text size="sm" className="break">
              {t('ofEnrolment', { id: at.values.enrolment })}
            </Text>
          </Group>
        </Alert>
      )}
      <FilteredList
        label={shell('pages.events')}
        rows={rows}
        columns={columns}
        noneFound={{ title: t('noneFoundTitle'), text: t('noneFoundText') }}
        none={<Message title={t('noneTitle')} text={t('noneText')} />}
      />
      <EventDialog event={opened} onClose={() => setOpened(null)} />
    </Page>
  );
}
