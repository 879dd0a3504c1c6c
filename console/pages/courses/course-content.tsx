import { Paper, Stack } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { Message, Unready } from '../../parts/states.tsx';
import { Warnings } from './release-content.tsx';
import { UnitTree } from './unit-tree.tsx';
import type { AuthoredCourse } from './values.tsx';

/** The content for learners who start the course now: its units, and the rules that connect them. */
export function CourseContent({ course: { CourseID, Release } }: { course: AuthoredCourse }) {
  const t = useTranslations('courses.releases');
  if (Release === null) return <Message title={t('emptyTitle')} text={t('emptyText')} />;
  return <Content courseId={CourseID} release={Release} />;
}

function Content({ courseId, release }: { courseId: string; release: number }) {
  const { $api } = useApi();
  const params = { path: { CourseID: courseId, Release: release } };
  const query = $api.useQuery('get', '/course/{CourseID}/release/{Release}', { params });
  if (!query.data) return <Unready query={query} />;
  return (
    <Paper withBorder p="lg" component="section">
      <Stack gap="lg">
        <Warnings warnings={query.data.Warnings} />
        <UnitTree release={query.data} order={2} />
      </Stack>
    </Paper>
  );
}
