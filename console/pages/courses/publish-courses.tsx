import { Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { Page } from '../../parts/page.tsx';
import { ChangeRun } from '../bulk/change-run.tsx';
import { dataOf, type RowCalls, type RowResult } from '../bulk/send-rows.ts';
import { type AuthoredCourse, hasErrors } from './values.tsx';

type Reason = 'course_retired' | 'no_content' | 'no_option' | 'has_errors';

/** The reason why the course cannot be published together with others, if there is one. */
function reasonOf(course: AuthoredCourse): Reason | null {
  if (course.Status === 'retired') return 'course_retired';
  if (course.Standard === null) return 'no_content';
  if (hasErrors(course)) return 'has_errors';
  return course.EnrolOptions.some(({ Status }) => Status === 'published') ? null : 'no_option';
}

/** Publishes the courses selected in their list. */
export function PublishCourses({ courses }: { courses: readonly string[] }) {
  const t = useTranslations('bulk.selection');
  const texts = useTranslations('courses');
  const { client } = useApi();
  const read = async (CourseID: string, signal: AbortSignal): Promise<RowResult> => {
    const course = await dataOf(client.GET('/course/{CourseID}', { params: { path: { CourseID } }, signal }));
    if (course.Status === 'published') return { Status: 200 };
    const code = reasonOf(course);
    if (code !== null) return { Status: 409, code, detail: t(`advice.${code}`) };
    return { Status: 200, Changed: ['Status'] };
  };
  const calls: RowCalls<string> = {
    ids: (CourseID) => ({ CourseID }),
    plan: read,
    apply: async (CourseID, signal) => {
      const plan = await read(CourseID, signal);
      if (!plan.Changed) return plan;
      const params = { path: { CourseID } };
      await dataOf(client.PUT('/course/{CourseID}', { params, body: { Status: 'published' }, signal }));
      return plan;
    },
  };
  return (
    <Page
      title={t('publish.title', { count: courses.length })}
      text={t('publish.text')}
      back={{ to: '/console/courses', text: texts('title') }}
    >
      <ChangeRun change="publish" rows={courses} list="/console/courses" callsOf={() => calls}>
        <Text size="sm">{t('publish.effect')}</Text>
      </ChangeRun>
    </Page>
  );
}
