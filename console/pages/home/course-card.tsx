import { Alert, Button, Group, Paper, Progress, Skeleton, Stack, Text, Title } from '@mantine/core';
import { useInViewport } from '@mantine/hooks';
import { useId } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { CourseImage, useCourseImage } from '../../parts/course-image.tsx';
import { usePercent } from '../../parts/percent.ts';
import { FailedAction } from '../../parts/states.tsx';
import { OutcomeBadge } from '../../parts/values.tsx';

type Enrolment = components['schemas']['Enrolment'];

export function CourseCard({ enrolment }: { enrolment: Enrolment }) {
  const t = useTranslations('home');
  const title = useId();
  const percent = usePercent();
  const { CourseTitle, Outcome, Status, Progress: progress } = enrolment;
  return (
    <Paper withBorder component="article" aria-labelledby={title} className="course-card">
      <CardImage enrolment={enrolment} />
      <Stack gap="sm" className="course-text">
        <Group justify="space-between" align="flex-start" wrap="nowrap">
          <Title order={3} size="h4" id={title} className="break">
            {CourseTitle}
          </Title>
          <OutcomeBadge outcome={Outcome} />
        </Group>
        {Status !== 'completed' && (
          <Group gap="sm" wrap="nowrap">
            <Progress value={progress} flex={1} aria-label={t('progressOf', { course: CourseTitle })} />
            <Text size="sm" className="figure">
              {percent(progress)}
            </Text>
          </Group>
        )}
        <DueText enrolment={enrolment} />
        <Details enrolment={enrolment} />
      </Stack>
      <div className="course-action">
        <CourseAction enrolment={enrolment} describedBy={title} />
      </div>
    </Paper>
  );
}

/**
 * The course's image, which is read when the card comes into view. A course that is no longer offered keeps the
 * placeholder.
 */
function CardImage({ enrolment: { CourseID, LoginID } }: { enrolment: Enrolment }) {
  const { $api } = useApi();
  const { ref, inViewport } = useInViewport<HTMLDivElement>();
  const { data } = $api.useQuery(
    'get',
    '/catalogue/course/{CourseID}/{LoginID}',
    { params: { path: { CourseID, LoginID } } },
    { enabled: inViewport, retry: false, staleTime: 600_000 },
  );
  const image = useCourseImage(data?.ImageURL ?? null);
  return (
    <div ref={ref}>
      <CourseImage courseId={CourseID} image={image} />
    </div>
  );
}

const dayLength = 86_400_000;

/** By when the course should be done. Days of the last week are named by their weekday. */
function DueText({ enrolment: { DueAt, Status } }: { enrolment: Enrolment }) {
  const t = useTranslations('home');
  const format = useFormatter();
  if (DueAt === null || (Status !== 'enrolled' && Status !== 'in_progress')) return null;
  const due = new Date(DueAt);
  const late = Date.now() - due.getTime();
  if (late <= 0)
    return (
      <Text size="sm" fw={500}>
        {t('due', { day: format.dateTime(due, { dateStyle: 'long' }) })}
      </Text>
    );
  const day = format.dateTime(due, late < 6 * dayLength ? { weekday: 'long' } : { dateStyle: 'long' });
  return (
    <Text size="sm" fw={500} c="var(--mantine-color-error)">
      {t('overdueSince', { day })}
    </Text>
  );
}

/** Details next to the progress: the score, and when access ends or ended. */
function Details({ enrolment }: { enrolment: Enrolment }) {
  const t = useTranslations('home');
  const format = useFormatter();
  const percent = usePercent();
  const { Score, ExpiresAt, CompletedAt } = enrolment;
  const day = (at: string) => format.dateTime(new Date(at), { dateStyle: 'medium' });
  const isOver = ExpiresAt !== null && Date.parse(ExpiresAt) <= Date.now();
  const details = [
    Score !== null && t('score', { value: percent(Score) }),
    CompletedAt !== null && t('completedOn', { day: day(CompletedAt) }),
    ExpiresAt !== null && t(isOver ? 'endedOn' : 'endsOn', { day: day(ExpiresAt) }),
  ].filter((text) => text !== false);
  if (details.length === 0) return null;
  return (
    <Text size="sm" c="dimmed">
      {details.join(' · ')}
    </Text>
  );
}

/** When the learner comes back, the page says how the course ended. */
export function launchHref(launchUrl: string, enrollId: string): string {
  const url = `${location.origin}/console?left=${enrollId}`;
  return `${launchUrl}&returnURL=${encodeURIComponent(url)}`;
}

/** The button that starts the course, or the reason why it cannot start. The service applies its launch rules. */
function CourseAction({ enrolment, describedBy }: { enrolment: Enrolment; describedBy: string }) {
  const t = useTranslations('home');
  const { $api } = useApi();
  const { LoginID, EnrollID, Status, Launches, LaunchURL } = enrolment;
  const params = { path: { LoginID, EnrollID } };
  const asked = $api.useQuery('get', '/enrolment/{LoginID}/{EnrollID}/explain', { params });
  if (asked.isPending) return <Skeleton height={36} />;
  if (!asked.data) return <FailedAction error={asked.error} />;
  if (!asked.data.MayLaunch || LaunchURL === null) {
    const failed = asked.data.Rules.find(({ Passed }) => !Passed);
    return (
      <Alert color="gray" variant="light">
        {failed ? t(`refused.${failed.Rule}`) : t('cannotStart')}
      </Alert>
    );
  }
  const text = Status === 'completed' ? 'openAgain' : Launches > 0 ? 'continue' : 'start';
  return (
    <Button
      component="a"
      href={launchHref(LaunchURL, EnrollID)}
      variant={Status === 'completed' ? 'default' : 'filled'}
      aria-describedby={describedBy}
    >
      {t(text)}
    </Button>
  );
}
