import { Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { Page } from '../../parts/page.tsx';
import { ChangeRun } from '../bulk/change-run.tsx';
import type { RowCalls, RowResult } from '../bulk/send-rows.ts';
import { type Publication, planPublication, publishCourse } from './publishable.ts';

/** Publishes the courses selected in their list. */
export function PublishCourses({ courses }: { courses: readonly string[] }) {
  const t = useTranslations('bulk.selection');
  const texts = useTranslations('courses');
  const api = useApi();
  const resultOf = (publication: Publication): RowResult => {
    if (publication === 'published') return { Status: 200 };
    if (publication === 'publishable') return { Status: 200, Changed: ['Status'] };
    return { Status: 409, code: publication, detail: t(`advice.${publication}`) };
  };
  const calls: RowCalls<string> = {
    ids: (CourseID) => ({ CourseID }),
    plan: async (CourseID, signal) => resultOf(await planPublication(api, CourseID, signal)),
    apply: async (CourseID, signal) => resultOf(await publishCourse(api, CourseID, signal)),
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
