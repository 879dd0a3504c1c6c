import { Alert, Button, Stack, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { usePercent } from '../../parts/percent.ts';
import { launchHref } from './course-card.tsx';

type Enrolment = components['schemas']['Enrolment'];

const colours = { passed: 'green', completed: 'green', failed: 'orange' } as const;
const isResult = (outcome: Enrolment['Outcome']): outcome is keyof typeof colours => outcome in colours;

/** Says how the course that the learner has just left ended, and what is next. */
export function Acknowledgement({ enrolment, next }: { enrolment: Enrolment; next: Enrolment | undefined }) {
  const t = useTranslations('home.left');
  const percent = usePercent();
  const { Outcome, CourseTitle: course, Score } = enrolment;
  if (!isResult(Outcome)) return null;
  return (
    <Alert color={colours[Outcome]} role="status" title={t(Outcome, { course })}>
      <Stack gap="sm" align="flex-start">
        {Score !== null && <Text size="sm">{t('score', { value: percent(Score) })}</Text>}
        {Outcome === 'failed' && <Text size="sm">{t('again')}</Text>}
        {Outcome !== 'failed' && (
          <Text size="sm">{next ? t('next', { course: next.CourseTitle }) : t('allDone')}</Text>
        )}
        {Outcome !== 'failed' && next?.LaunchURL && (
          <Button component="a" size="xs" href={launchHref(next.LaunchURL, next.EnrollID)}>
            {t('start', { course: next.CourseTitle })}
          </Button>
        )}
      </Stack>
    </Alert>
  );
}
