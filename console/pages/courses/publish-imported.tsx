import './courses.css';
import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { useAction } from '../../parts/action.tsx';
import { errorsIn } from './release-content.tsx';
import { type Import, type Imports, isInProgress, isPublishable } from './use-imports.ts';

const hasErrors = ({ stage }: Import) => stage.is === 'done' && stage.isNew && errorsIn(stage.release) > 0;

/** Publishes all imported courses that can be published, in one step. Courses with errors are left out. */
export function PublishImported({ imports, publish }: Pick<Imports, 'imports' | 'publish'>) {
  const t = useTranslations('courses.import.publish');
  const running = useAction(publish);
  const chosen = imports.filter(isPublishable).filter(({ isChosen }) => isChosen);
  const faulty = imports.filter(hasErrors).length;
  if (!running.isRunning && (imports.some(isInProgress) || !imports.some(isPublishable))) return null;
  return (
    <Paper withBorder p="md" component="section" aria-label={t('title')} className="publish-imported">
      <Group justify="space-between" gap="md">
        <Stack gap={4} flex="1 1 20rem">
          <Text size="sm">{t('text')}</Text>
          {faulty > 0 && (
            <Text size="sm" c="dimmed">
              {t('faulty', { count: faulty })}
            </Text>
          )}
        </Stack>
        <Button
          disabled={chosen.length === 0}
          loading={running.isRunning}
          onClick={() => void running.run(chosen)}
        >
          {t('button', { count: chosen.length })}
        </Button>
      </Group>
    </Paper>
  );
}
