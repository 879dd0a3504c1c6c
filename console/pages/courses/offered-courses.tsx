import { Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { useSession } from '../../api/session.tsx';
import {
  FilteredList,
  ListFilterBar,
  searchFilter,
  useListFilters,
  useListRows,
} from '../../parts/filtered-list.tsx';
import type { Column } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { usePercent } from '../../parts/percent.ts';
import { useReportLines } from '../../parts/report-table.tsx';
import { Message } from '../../parts/states.tsx';
import { None } from '../../parts/values.tsx';
import { Count } from '../reports/count.tsx';
import type { Line } from '../reports/figures.ts';
import { EnrolLink } from './enrol-link.tsx';
import { NewPathButton } from './path-dialog.tsx';
import { type Course, CourseStatusBadge, CourseTitle, useDurationText } from './values.tsx';

/** The courses that the operator offers to the tenant. */
export function OfferedCourses() {
  const t = useTranslations('courses');
  const mayMake = useSession().Scopes.includes('requirements:write');
  const words = useDurationText();
  const percent = usePercent();
  const filters = useListFilters([searchFilter(t('list.search'))]);
  const at = { ...filters, wanted: { ...filters.wanted, Drafts: true } };
  const rowKey = ({ CourseID }: Course) => CourseID;
  const rows = useListRows<Course>({ path: '/catalogue/course', at, rowKey });
  const lines = useReportLines<Line>('/report/completion', { By: 'course' }).data?.lines;
  const lineOf = ({ CourseID }: Course) => lines?.find((line) => line.CourseID === CourseID);
  const columns: Column<Course>[] = [
    { key: 'title', header: t('list.course'), share: 34, cell: (course) => <CourseTitle {...course} /> },
    {
      key: 'options',
      onPhone: 'hidden',
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
                {words(Duration) !== Name && (
                  <Text span size="xs" c="dimmed">
                    {words(Duration)}
                  </Text>
                )}
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
          count={lines ? (lineOf(course)?.Enrolments ?? 0) : null}
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
        return rate === null ? <None /> : percent(rate);
      },
    },
    {
      key: 'status',
      header: t('list.status'),
      onPhone: 'aside',
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
    <Page title={t('title')} text={t('offered.text')} actions={mayMake && <NewPathButton />}>
      <ListFilterBar at={at} />
      <FilteredList
        label={t('title')}
        rows={rows}
        columns={columns}
        noneFound={{ title: t('list.nothingTitle'), text: t('list.nothingText') }}
        none={<Message title={t('offered.emptyTitle')} text={t('offered.emptyText')} />}
      />
    </Page>
  );
}
