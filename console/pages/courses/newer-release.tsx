import { Alert, Group, Text } from '@mantine/core';
import { IconInfoCircle } from '@tabler/icons-react';
import { useTranslations } from 'use-intl';
import { MakeCurrent } from './make-current.tsx';
import { PreviewButton } from './preview-button.tsx';
import type { Release } from './upload.ts';

/** The newest release if it is not current: learners do not see it yet, so it can be played first. */
export function NewerRelease({ release, current }: { release: Release; current: number }) {
  const t = useTranslations('courses.releases');
  const { CourseID, Release: number } = release;
  return (
    <Alert title={t('newerTitle', { number })} icon={<IconInfoCircle size={18} aria-hidden />} role="region">
      <Text size="sm" mb="sm">
        {t('newerText', { number: current })}
      </Text>
      <Group gap="sm">
        <PreviewButton courseId={CourseID} release={number} button={{ size: 'sm' }} />
        <MakeCurrent release={release} button={{ size: 'sm', variant: 'filled' }} />
      </Group>
    </Alert>
  );
}
