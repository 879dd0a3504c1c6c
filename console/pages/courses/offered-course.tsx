import { Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { CourseImage, useCourseImage } from '../../parts/course-image.tsx';
import { Page } from '../../parts/page.tsx';
import { Failed, Message, Waiting } from '../../parts/states.tsx';
import { LabelledValue, LabelledValues } from '../../parts/values.tsx';
import { CertificateTemplate } from '../certificates/template.tsx';
import { CourseAnswers } from './course-answers.tsx';
import { DeleteCourse } from './delete-course.tsx';
import { EnrolLink } from './enrol-link.tsx';
import { findOffered } from './find-offered.ts';
import { LanguageName } from './language.tsx';
import { OptionRows } from './option-rows.tsx';
import { PathSteps, usePath } from './path-steps.tsx';
import { PreviewButton } from './preview-button.tsx';
import { CourseStatusBadge, StandardName } from './values.tsx';

/** The page of a course that is offered to the tenant, with its preview and the link for enrolling. */
export function OfferedCourse({ courseId }: { courseId: string }) {
  const t = useTranslations('courses');
  const api = useApi();
  const query = useQuery({
    queryKey: ['offered course', courseId],
    queryFn: () => findOffered(api, courseId),
  });
  const isPath = query.data?.Standard === 'path';
  const path = usePath(courseId, isPath);
  const image = useCourseImage(query.data?.ImageURL ?? null);
  if (query.isPending) return <Waiting />;
  if (query.isError) return <Failed error={query.error} onRetry={() => query.refetch()} />;
  const course = query.data;
  if (!course) return <Message isPage title={t('offered.notTitle')} text={t('offered.notText')} />;
  const { Title: title, Status, Description, Language, Standard, Release } = course;
  return (
    <Page
      title={title}
      badge={<CourseStatusBadge status={Status} />}
      back={{ to: '/console/courses', text: t('title') }}
      actions={
        <>
          {Standard !== null && !isPath && <PreviewButton courseId={courseId} />}
          <EnrolLink course={course} variant="filled" />
        </>
      }
    >
      {image.state !== 'none' && <CourseImage courseId={courseId} image={image} className="framed" />}
      {Description !== null && (
        <Text maw="70ch" className="prose">
          {Description}
        </Text>
      )}
      <LabelledValues>
        <LabelledValue label={t('fields.courseId')}>{courseId}</LabelledValue>
        <LabelledValue label={t('list.standard')}>
          <StandardName standard={Standard} />
        </LabelledValue>
        <LabelledValue label={t('list.release')}>{Release ?? '–'}</LabelledValue>
        <LabelledValue label={t('fields.language')}>
          <LanguageName tag={Language} />
        </LabelledValue>
      </LabelledValues>
      {isPath && (
        <Stack gap="sm">
          <Title order={2} size="h4">
            {t('path.part')}
          </Title>
          <PathSteps courseId={courseId} />
        </Stack>
      )}
      <Stack gap="sm">
        <Title order={2} size="h4">
          {t('options.title')}
        </Title>
        <OptionRows options={course.AvailableEnrolOptions} empty={t('offered.noOptions')} />
      </Stack>
      <Stack gap="sm">
        <Title order={2} size="h4">
          {t('parts.certificate')}
        </Title>
        <CertificateTemplate courseId={courseId} />
      </Stack>
      {!isPath && <CourseAnswers courseId={courseId} />}
      {path.data?.MayChange && <DeleteCourse course={course} isOwn />}
    </Page>
  );
}
