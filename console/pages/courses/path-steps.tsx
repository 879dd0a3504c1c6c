import { Badge, Button, Group, List, Paper, Stack, Text, Title } from '@mantine/core';
import { IconEdit } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { type Path, PathDialog } from './path-dialog.tsx';
import { CourseLink } from './values.tsx';

function StepItem({ step, number }: { step: Path['Steps'][number]; number: number }) {
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
            <CourseLink courseId={id}>{id}</CourseLink>
          </List.Item>
        ))}
      </List>
    </Paper>
  );
}

/** The steps of a path. */
export function PathSteps({ courseId }: { courseId: string }) {
  const t = useTranslations('courses.path');
  const { $api } = useApi();
  const [isOpen, setOpen] = useState(false);
  const query = $api.useQuery('get', '/course/{CourseID}/path', { params: { path: { CourseID: courseId } } });
  if (query.isPending) return <WaitingRows />;
  if (!query.data) return <Failed error={query.error} onRetry={() => query.refetch()} />;
  const { Steps, Ordered } = query.data;
  return (
    <Stack>
      <Group justify="space-between">
        <Text c="dimmed">{t(Ordered ? 'inOrder' : 'free')}</Text>
        <Button
          variant="default"
          leftSection={<IconEdit size={16} aria-hidden />}
          onClick={() => setOpen(true)}
        >
          {t('change')}
        </Button>
      </Group>
      {Steps.map((step, n) => (
        <StepItem key={step.CourseIDs.join('\n')} step={step} number={n + 1} />
      ))}
      {isOpen && <PathDialog path={query.data} onClose={() => setOpen(false)} />}
    </Stack>
  );
}
