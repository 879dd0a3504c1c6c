import { Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { FilterBar, SearchFilter, useFilters } from '../../parts/filters.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { paged } from '../../parts/paged.ts';
import { usePercent } from '../../parts/percent.ts';
import { useReportLines } from '../../parts/report-table.tsx';
import { Message, NoneFound } from '../../parts/states.tsx';
import { Count } from '../reports/count.tsx';
import type { Line } from '../reports/figures.ts';
import { EnrolLink } from './enrol-link.tsx';
import { type Course, CourseStatusBadge, CourseTitle, StandardName, useDurationText } from './values.tsx';

/** The courses that the operator offers to the tenant. */
export function OfferedCourses() {
  const t = useTranslations('courses');
  const { $api } = useApi();
  const words = useDurationText();
  const percent = usePercent();
  const [{ search }, filter] = useFilters(['search']);
  const wanted = search ? { Search: search } : {};
  const query = $api.useInfiniteQuery('get', '/catalogue/course', { params: { query: wanted } }, paged);
  const counted = { params: { query: { ...wanted, Limit: 1, Count: true } } };
  const { data: all } = $api.useQuery('get', '/catalogue/course', counted, { enabled: query.hasNextPage });
  const lines = useReportLines<Line>('/report/completion', { By: 'course' }).data?.lines ?? [];
  const lineOf = ({ CourseID }: Course) => lines.find((line) => line.CourseID === CourseID);
  const columns: Column<Course>[] = [
    { key: 'title', header: t('list.course'), share: 28, cell: (course) => <CourseTitle {...course} /> },
    {
      key: 'options',
      header: t('list.options'),
      share: 26,
      cell: ({ AvailableEnrolOptions: options }) =>
        options.length === 0 ? (
          t('options.none')
        ) : (
          <div className="joined">
            {options.map(({ DurationID, Name, Duration }) => (
              <div key={DurationID} className="break">
                {Name}{' '}
                <Text span size="xs" c="dimmed">
                  {words(Duration)}
                </Text>
              </div>
            ))}
          </div>
        ),
    },
    {
      key: 'learners',
      header: t('list.learners'),
      align: 'end',
      cell: (course) => (
        <Count
          count={lineOf(course)?.Enrolments ?? 0}
          scope={{ course: course.CourseID }}
          label={t('list.learners')}
        />
      ),
    },
    {
      key: 'rate',
      header: t('list.rate'),
      align: 'end',
      cell: (course) => {
        const rate = lineOf(course)?.CompletionRate ?? null;
        return rate === null ? '–' : percent(rate);
      },
    },
    {
      key: 'standard',
      header: t('list.standard'),
      share: 12,
      cell: ({ Standard }) => <StandardName standard={Standard} />,
    },
    {
      key: 'status',
      header: t('list.status'),
      cell: ({ Status }) => <CourseStatusBadge status={Status} />,
    },
    {
      key: 'act',
      header: t('list.actions'),
      isActions: true,
      align: 'end',
      cell: (course) => <EnrolLink course={course} size="compact-sm" />,
    },
  ];
  return (
    <Page title={t('title')} text={t('offered.text')}>
      <FilterBar count={0} onClear={search ? () => filter({ search: undefined }) : undefined}>
        <SearchFilter label={t('list.search')} value={search} onChange={(search) => filter({ search })} />
      </FilterBar>
      <List
        label={t('title')}
        query={query}
        count={all?.Count}
        columns={columns}
        rowKey={({ CourseID }) => CourseID}
        empty={
          search ? (
            <NoneFound
              title={t('list.nothingTitle')}
              text={t('list.nothingText')}
              onShowAll={() => filter({ search: undefined })}
            />
          ) : (
            <Message title={t('offered.emptyTitle')} text={t('offered.emptyText')} />
          )
        }
      />
    </Page>
  );
}
