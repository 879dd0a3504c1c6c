import { Badge, Group, Tabs } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useFilters } from '../../parts/filters.tsx';
import { Page } from '../../parts/page.tsx';
import { Failed, Waiting } from '../../parts/states.tsx';
import { CertificateTemplate } from '../certificates/template.tsx';
import { CourseAnswers } from './course-answers.tsx';
import { CourseContent } from './course-content.tsx';
import { CourseForm } from './course-form.tsx';
import { CourseState } from './course-state.tsx';
import { DeleteCourse } from './delete-course.tsx';
import { EnrolLink } from './enrol-link.tsx';
import { Options } from './options.tsx';
import { PathSteps } from './path-steps.tsx';
import { PreviewButton } from './preview-button.tsx';
import { PublishButton } from './publish-button.tsx';
import { Releases } from './releases.tsx';
import { type AuthoredCourse, CourseStatusBadge, hasErrors, StandardName } from './values.tsx';

const parts = ['options', 'content', 'answers', 'certificate', 'releases', 'details'] as const;
/** What belongs to the tenant that the operator acts on. */
const ofTenant: readonly string[] = ['answers', 'certificate'];
type Part = (typeof parts)[number];
const isPart = (text: string | null | undefined): text is Part => parts.some((one) => one === text);

export function AuthoredCourseById({ courseId }: { courseId: string }) {
  const { $api } = useApi();
  const query = $api.useQuery('get', '/course/{CourseID}', { params: { path: { CourseID: courseId } } });
  if (query.isPending) return <Waiting />;
  if (!query.data) return <Failed error={query.error} onRetry={() => query.refetch()} />;
  return <Authored course={query.data} />;
}

/** One course with everything that its authors can see and change. */
function Authored({ course }: { course: AuthoredCourse }) {
  const t = useTranslations('courses');
  const format = useFormatter();
  const { tenant } = useApi();
  const [{ part }, filter] = useFilters(['part']);
  const { CourseID, Title, Status, Standard, Release, EnrolOptions } = course;
  const isPath = Standard === 'path';
  const shown = isPart(part) && (!ofTenant.includes(part) || tenant !== null) ? part : 'options';
  const published = EnrolOptions.filter((option) => option.Status === 'published');
  return (
    <Page
      title={Title}
      badge={<CourseStatusBadge status={Status} />}
      back={{ to: '/console/courses', text: t('title') }}
      text={
        <Group gap="xs">
          <span className="break">{CourseID}</span>
          <span aria-hidden>·</span>
          <StandardName standard={Standard} />
          {Release !== null && (
            <>
              <span aria-hidden>·</span>
              {t('releases.number', { number: Release })}
            </>
          )}
        </Group>
      }
      actions={
        <>
          {Standard !== null && !isPath && <PreviewButton courseId={CourseID} />}
          {Status !== 'published' && !hasErrors(course) && <PublishButton course={course} />}
          {tenant !== null && (
            <EnrolLink course={{ CourseID, Title, Status, AvailableEnrolOptions: published }} />
          )}
        </>
      }
    >
      <CourseState course={course} />
      <Tabs value={shown} onChange={(value) => isPart(value) && filter({ part: value })}>
        <Tabs.List mb="lg" className="one-row">
          <Tabs.Tab
            value="options"
            rightSection={<Badge color="gray">{format.number(EnrolOptions.length)}</Badge>}
          >
            {t('parts.options')}
          </Tabs.Tab>
          <Tabs.Tab value="content">{t(isPath ? 'path.part' : 'parts.content')}</Tabs.Tab>
          {tenant !== null && !isPath && <Tabs.Tab value="answers">{t('parts.answers')}</Tabs.Tab>}
          {tenant !== null && <Tabs.Tab value="certificate">{t('parts.certificate')}</Tabs.Tab>}
          {!isPath && <Tabs.Tab value="releases">{t('parts.releases')}</Tabs.Tab>}
          <Tabs.Tab value="details">{t('parts.details')}</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="options">
          <Options course={course} />
        </Tabs.Panel>
        <Tabs.Panel value="content">
          {isPath ? <PathSteps courseId={CourseID} /> : <CourseContent course={course} />}
        </Tabs.Panel>
        <Tabs.Panel value="answers">
          {shown === 'answers' && <CourseAnswers courseId={CourseID} />}
        </Tabs.Panel>
        <Tabs.Panel value="certificate">
          {shown === 'certificate' && <CertificateTemplate courseId={CourseID} />}
        </Tabs.Panel>
        <Tabs.Panel value="releases">
          <Releases course={course} />
        </Tabs.Panel>
        <Tabs.Panel value="details">
          <CourseForm course={course} />
          <DeleteCourse course={course} />
        </Tabs.Panel>
      </Tabs>
    </Page>
  );
}
