import './courses.css';
import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTranslations } from 'use-intl';
import { useAction } from '../../parts/action.tsx';
import { errorsIn } from './release-content.tsx';
import { type Import, type Imports, isInProgress, isPublishable, isPublished } from './use-imports.ts';

const hasErrors = ({ stage }: Import) => stage.is === 'done' && stage.isNew && errorsIn(stage.release) > 0;

/** Publishes all imported courses that can be published, in one step. Courses with errors are left out. */
export function PublishImported({ imports, publish }: Pick<Imports, 'imports' | 'publish'>) {
  const t = useTranslations('courses.import.publish');
  const place = useRef<HTMLDivElement>(null);
  const [wasUsed, setUsed] = useState(false);
  const running = useAction(async () => {
    await publish(chosen);
    setUsed(true);
    // The button may be gone, and the focus with it.
    place.current?.focus();
  });
  const publishable = imports.filter(isPublishable);
  const chosen = publishable.filter(({ isChosen }) => isChosen);
  const faulty = imports.filter(hasErrors).length;
  const published = imports.filter(isPublished).length;
  const isWaiting = !running.isRunning && imports.some(isInProgress);
  const isDone = wasUsed && published > 0;
  if (isWaiting || !(running.isRunning || isDone || publishable.length > 0)) return null;
  return (
    <Paper
      ref={place}
      tabIndex={-1}
      withBorder
      p="md"
      component="section"
      aria-label={t('title')}
      className="publish-imported"
    >
      <Group justify="space-between" gap="md">
        <Stack gap={4} flex="1 1 20rem">
          <Text size="sm" role="status">
            {isDone ? t('done', { count: published }) : t('text')}
          </Text>
          {faulty > 0 && (
            <Text size="sm" c="dimmed">
              {t('faulty', { count: faulty })}
            </Text>
          )}
        </Stack>
        {(running.isRunning || publishable.length > 0) && (
          <Button
            disabled={chosen.length === 0}
            loading={running.isRunning}
            onClick={() => void running.run()}
          >
            {t('button', { count: chosen.length })}
          </Button>
        )}
      </Group>
    </Paper>
  );
}
