import { Badge, Button, Group, List, Paper, Stack, Text, Title } from '@mantine/core';
import { IconEdit } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { Unready } from '../../parts/states.tsx';
import { type Path, PathDialog } from './path-dialog.tsx';
import { CourseLink } from './values.tsx';

type StepProps = { step: Path['Steps'][number]; number: number; titles: ReadonlyMap<string, string> };

function StepItem({ step, number, titles }: StepProps) {
  const t = useTranslations('courses.path');
  const { CourseIDs, Need, Optional } = step;
  const count = CourseIDs.length;
  return (
    <Paper withBorder p="md" component="section">
      <Group gap="xs" mb="xs">
        <Title order={3} size="h5">
          {t('step', { number })}
        </Title>
        {Need < count && <Badge color="blue">{t('anyOf', { need: Need, count })}</Badge>}
        {Optional && <Badge color="gray">{t('optional')}</Badge>}
      </Group>
      <List>
        {CourseIDs.map((id) => (
          <List.Item key={id}>
            <CourseLink courseId={id}>{titles.get(id) ?? id}</CourseLink>
          </List.Item>
        ))}
      </List>
    </Paper>
  );
}

export function usePath(CourseID: string, enabled = true) {
  const { $api } = useApi();
  return $api.useQuery('get', '/course/{CourseID}/path', { params: { path: { CourseID } } }, { enabled });
}

/** The steps of a path. */
export function PathSteps({ courseId }: { courseId: string }) {
  const t = useTranslations('courses.path');
  const [isOpen, setOpen] = useState(false);
  const query = usePath(courseId);
  if (!query.data) return <Unready query={query} />;
  const { Steps, Ordered, Courses, MayChange } = query.data;
  const titles = new Map(Courses.map(({ CourseID, Title }) => [CourseID, Title]));
  return (
    <Stack>
      <Group justify="space-between">
        <Text c="dimmed">{t(Ordered ? 'inOrder' : 'free')}</Text>
        {MayChange && (
          <Button
            variant="default"
            leftSection={<IconEdit size={16} aria-hidden />}
            onClick={() => setOpen(true)}
          >
            {t('change')}
          </Button>
        )}
      </Group>
      {Steps.map((step, n) => (
        <StepItem key={step.CourseIDs.join('\n')} step={step} number={n + 1} titles={titles} />
      ))}
      <PathDialog path={query.data} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Stack>
  );
}
