import { Alert, Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { EventTypeFilter, isEventType } from '../../parts/event-type-filter.tsx';
import { FilterBar, useFilters } from '../../parts/filters.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { refreshed } from '../../parts/paged.ts';
import { Message, NoneFound } from '../../parts/states.tsx';
import { Instant } from '../../parts/values.tsx';
import { LearnerPicker } from '../enrolments/pickers.tsx';
import { EventDialog } from './event.tsx';
import { ExportButton } from './export.tsx';
import { Learner } from './learner.tsx';
import type { Event } from './record.ts';

const names = ['type', 'learner', 'enrolment'] as const;

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
    { key: 'learner', header: t('learner'), share: 24, cell: ({ LoginID }) => <Learner loginId={LoginID} /> },
    {
      key: 'course',
      header: t('course'),
      share: 20,
      cell: ({ CourseID }) => (
        <span className="break">{(CourseID !== null && titles.get(CourseID)) || (CourseID ?? '–')}</span>
      ),
    },
    { key: 'at', header: t('at'), cell: ({ OccurredAt }) => <Instant at={OccurredAt} /> },
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
  const { $api } = useApi();
  const [filters, change] = useFilters(names);
  const [opened, setOpened] = useState<Event | null>(null);
  const query = {
    Order: 'newest',
    ...(isEventType(filters.type) ? { Types: filters.type } : {}),
    ...(filters.learner ? { LoginID: filters.learner } : {}),
    ...(filters.enrolment ? { EnrollID: filters.enrolment } : {}),
  } as const;
  const list = $api.useInfiniteQuery(
    'get',
    '/events',
    { params: { query: { ...query, Limit: 50 } } },
    refreshed,
  );
  const shown = list.data?.pages.flatMap((page) => page?.Items ?? []) ?? [];
  const columns = useColumns((id) => setOpened(shown.find(({ EventID }) => EventID === id) ?? null));
  const clear =
    Object.keys(filters).length > 0
      ? () => change({ type: undefined, learner: undefined, enrolment: undefined })
      : undefined;
  return (
    <Page
      title={shell('pages.events')}
      text={t('text')}
      actions={shown.length > 0 && <ExportButton query={query} />}
    >
      <FilterBar count={filters.type ? 1 : 0} onClear={clear}>
        <LearnerPicker
          value={filters.learner}
          onChange={(learner) => change({ learner })}
          className="filter"
        />
        <EventTypeFilter value={filters.type} onChange={(type) => change({ type })} />
      </FilterBar>
      {filters.enrolment && (
        <Alert color="gray" variant="light">
          <Group gap="xs">
            <Text size="sm" className="break">
              {t('ofEnrolment', { id: filters.enrolment })}
            </Text>
          </Group>
        </Alert>
      )}
      <List
        label={shell('pages.events')}
        query={list}
        columns={columns}
        rowKey={({ EventID }) => EventID}
        empty={
          clear ? (
            <NoneFound title={t('noneFoundTitle')} text={t('noneFoundText')} onShowAll={clear} />
          ) : (
            <Message title={t('noneTitle')} text={t('noneText')} />
          )
        }
      />
      <EventDialog event={opened} onClose={() => setOpened(null)} />
    </Page>
  );
}
