import { Alert, Anchor, Group, List, Stack, Text, ThemeIcon, VisuallyHidden } from '@mantine/core';
import {
  IconAlertOctagon,
  IconAlertTriangle,
  IconCheck,
  IconCircleDashed,
  IconInfoCircle,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import { PublishButton } from './publish-button.tsx';
import { type AuthoredCourse, hasErrors } from './values.tsx';

function Step({ isDone, text }: { isDone: boolean; text: string }) {
  const t = useTranslations('courses.state');
  return (
    <List.Item
      icon={
        <ThemeIcon size={20} radius="xl" variant="light" color={isDone ? 'green' : 'gray'}>
          {isDone ? <IconCheck size={14} aria-hidden /> : <IconCircleDashed size={14} aria-hidden />}
        </ThemeIcon>
      }
    >
      {text}
      <VisuallyHidden>{` (${t(isDone ? 'done' : 'open')})`}</VisuallyHidden>
    </List.Item>
  );
}

/** Errors lead learners to missing pages, so publishing a course that has errors needs an extra confirmation. */
function Errors({ course }: { course: AuthoredCourse }) {
  const t = useTranslations('courses.state');
  const releases = useTranslations('courses.releases');
  const { CourseID, Status, Errors } = course;
  const count = Errors ?? 0;
  return (
    <Alert color="red" title={releases('errorsTitle')} icon={<IconAlertOctagon size={18} aria-hidden />}>
      <Stack gap="xs">
        <Text size="sm">{t(Status === 'published' ? 'errorsPublished' : 'errorsText', { count })}</Text>
        <Group gap="sm">
          <Anchor
            size="sm"
            renderRoot={(props) => (
              <Link
                to="/console/courses/$courseId"
                params={{ courseId: CourseID }}
                search={{ part: 'content' }}
                {...props}
              />
            )}
          >
            {t('showErrors')}
          </Anchor>
          {Status !== 'published' && <PublishButton course={course} />}
        </Group>
      </Stack>
    </Alert>
  );
}

/** Lists the steps that a course still needs, or explains its status. Empty if there is nothing to do. */
export function CourseState({ course }: { course: AuthoredCourse }) {
  const t = useTranslations('courses.state');
  const { Status, Standard, EnrolOptions } = course;
  const hasContent = Standard !== null;
  const hasOption = EnrolOptions.some((option) => option.Status === 'published');
  if (hasErrors(course) && Status !== 'retired') return <Errors course={course} />;
  if (Status === 'draft')
    return (
      <Alert color="gray" title={t('draftTitle')} icon={<IconInfoCircle size={18} aria-hidden />}>
        <List size="sm" spacing={6} center mt={4}>
          <Step isDone={hasContent} text={t('content')} />
          <Step isDone={hasOption} text={t('option')} />
          <Step isDone={false} text={t('publish')} />
        </List>
      </Alert>
    );
  if (Status === 'retired')
    return (
      <Alert color="orange" title={t('retiredTitle')} icon={<IconInfoCircle size={18} aria-hidden />}>
        {t('retiredText')}
      </Alert>
    );
  if (hasContent && hasOption) return null;
  return (
    <Alert color="orange" title={t('lacksTitle')} icon={<IconAlertTriangle size={18} aria-hidden />}>
      {!hasContent && <Text size="sm">{t('noContent')}</Text>}
      {!hasOption && <Text size="sm">{t('noOption')}</Text>}
    </Alert>
  );
}
