import { Button, Group, Stack } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { LeaveGuard } from '../../parts/leave-guard.tsx';
import { ImportRow } from './import-row.tsx';
import { PackageDrop } from './package-drop.tsx';
import { isInProgress, useImports } from './use-imports.ts';

/** Packages being imported, from drop to result. With `courseId`, all of them are releases of this course. */
export function ImportPanel({ courseId }: { courseId?: string }) {
  const t = useTranslations('courses.import');
  const queue = useImports();
  const { imports } = queue;
  const ready = imports.filter(({ stage }) => stage.is === 'ready');
  const isFixed = courseId !== undefined;
  const take = (files: File[]) => {
    const added = queue.add(files, courseId);
    if (isFixed) queue.start(added);
  };
  return (
    <Stack gap="md">
      <PackageDrop
        text={t(isFixed ? 'dropOne' : 'dropMany')}
        hint={t(isFixed ? 'dropOneText' : 'dropManyText')}
        isMultiple={!isFixed}
        onFiles={take}
      />
      {imports.length > 0 && (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            queue.start(ready);
          }}
        >
          <Stack gap="sm">
            {imports.map((one) => (
              <ImportRow key={one.key} one={one} imports={queue} isFixed={isFixed} />
            ))}
            {ready.length > 0 && (
              <Group justify="flex-end">
                <Button type="submit">{t('start', { count: ready.length })}</Button>
              </Group>
            )}
          </Stack>
        </form>
      )}
      <LeaveGuard isOn={imports.some(isInProgress)} text={t('leaveText')} />
    </Stack>
  );
}
