import { Button, Group, Stack, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl';
import { LeaveGuard } from '../../parts/leave-guard.tsx';
import { isInUse } from './import-package.ts';
import { ImportRow } from './import-row.tsx';
import { isValidChoice, newCourseOf, usualNewCourse } from './new-course.ts';
import { NewCourseForm } from './new-course-form.tsx';
import { PackageDrop } from './package-drop.tsx';
import { PublishImported } from './publish-imported.tsx';
import { isInProgress, useImports } from './use-imports.ts';
import { type AuthoredCourse, useDurationText } from './values.tsx';

/**
 * A place to drop packages, and the packages being imported, from drop to result. With `course`, all of them are releases
 * of this course; otherwise each becomes a course with an enrolment option, which can be published here.
 */
export function useImportPanel(
  course?: AuthoredCourse,
  isCompact = false,
): { drop: ReactNode; panel: ReactNode } {
  const t = useTranslations('courses.import');
  const act = useTranslations('act');
  const option = useTranslations('courses.options');
  const queue = useImports();
  const durationText = useDurationText();
  const [choice, setChoice] = useState(usualNewCourse);
  const { imports } = queue;
  const ready = imports.filter(({ stage }) => stage.is === 'ready');
  const start = (wanted: typeof imports) => queue.start(wanted, newCourseOf(choice, durationText));
  const take = (files: File[]) => {
    const added = queue.add(files, course?.CourseID);
    if (course) start(added);
  };
  const drop = (
    <PackageDrop
      text={t(course ? 'dropOne' : 'dropMany')}
      hint={t(!course ? 'dropManyText' : isInUse(course) ? 'dropOneText' : 'dropFirstText')}
      isMultiple={!course}
      isCompact={isCompact}
      onFiles={take}
    />
  );
  const panel = imports.length > 0 && (
    <Stack gap="md">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          start(ready);
        }}
      >
        <Stack gap="sm">
          {imports.map((one) => (
            <ImportRow
              key={one.key}
              one={one}
              imports={queue}
              isFixed={course !== undefined}
              onAgain={() => start([one])}
            />
          ))}
          {ready.length > 0 && (
            <>
              <NewCourseForm
                choice={choice}
                onChange={(changed) => setChoice((before) => ({ ...before, ...changed }))}
              />
              <Group justify="flex-end">
                {!isValidChoice(choice) && (
                  <Text size="sm" c="dimmed">
                    {act('missing', { what: option('time') })}
                  </Text>
                )}
                <Button type="submit" disabled={!isValidChoice(choice)}>
                  {t('start', { count: ready.length })}
                </Button>
              </Group>
            </>
          )}
        </Stack>
      </form>
      {!course && <PublishImported imports={imports} publish={queue.publish} />}
      <LeaveGuard isOn={imports.some(isInProgress)} text={t('leaveText')} />
    </Stack>
  );
  return { drop, panel };
}
