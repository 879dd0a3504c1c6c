import { Group } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { type Column, List, paged } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Message } from '../../parts/states.tsx';
import { Instant } from '../../parts/values.tsx';
import { ImportPanel } from './import-panel.tsx';
import { type AuthoredCourse, CourseStatusBadge, CourseTitle, StandardName } from './values.tsx';
import { WebCourseButton } from './web-course.tsx';

/** All courses of the deployment, and the way in for new ones. */
export function AuthoredCourses() {
  const t = useTranslations('courses');
  const format = useFormatter();
  const { $api } = useApi();
  const query = $api.useInfiniteQuery('get', '/course', { params: { query: {} } }, paged);
  const columns: Column<AuthoredCourse>[] = [
    { key: 'title', header: t('list.course'), cell: (course) => <CourseTitle {...course} /> },
    {
      key: 'status',
      header: t('list.status'),
      cell: ({ Status }) => <CourseStatusBadge status={Status} />,
    },
    {
      key: 'standard',
      header: t('list.standard'),
      cell: ({ Standard }) => <StandardName standard={Standard} />,
    },
    {
      key: 'release',
      header: t('list.release'),
      cell: ({ Release }) => <Group gap="xs">{Release ?? '–'}</Group>,
    },
    {
      key: 'options',
      header: t('list.options'),
      cell: ({ EnrolOptions }) => format.number(EnrolOptions.length),
    },
    { key: 'updated', header: t('list.updated'), cell: ({ UpdatedAt }) => <Instant at={UpdatedAt} /> },
  ];
  return (
    <Page title={t('title')} text={t('text')} actions={<WebCourseButton />}>
      <ImportPanel />
      <List
        label={t('title')}
        query={query}
        columns={columns}
        rowKey={({ CourseID }) => CourseID}
        empty={<Message title={t('list.emptyTitle')} text={t('list.emptyText')} />}
      />
    </Page>
  );
}
