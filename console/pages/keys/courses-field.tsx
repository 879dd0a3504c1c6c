import './keys.css';
import { Button, Fieldset, NativeSelect, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useTranslations } from 'use-intl';
import { useDurationText } from '../courses/values.tsx';
import { CoursePicker } from '../enrolments/pickers.tsx';
import { useOffered } from './values.tsx';

export type KeyCourse = { courseId: string | undefined; durationId: string | undefined };
export const noCourse: KeyCourse = { courseId: undefined, durationId: undefined };

type Props = {
  value: readonly KeyCourse[];
  /** Changes the latest courses: two fields can change before the next rendering. */
  onChange: (change: (courses: readonly KeyCourse[]) => KeyCourse[]) => void;
};

/** The courses that a key gives access to, each with its enrolment option. */
export function CoursesField({ value, onChange }: Props) {
  const t = useTranslations('keys');
  return (
    <Fieldset legend={t('coursesOf')} variant="unstyled" className="key-courses">
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {t('coursesText')}
        </Text>
        {value.map((course, at) => (
          <OneCourse
            // biome-ignore lint/suspicious/noArrayIndexKey: a course has no other identity until it is chosen
            key={at}
            value={course}
            onChange={(changed) =>
              onChange((courses) =>
                courses.map((course, index) => (index === at ? { ...course, ...changed } : course)),
              )
            }
            {...(value.length > 1 ? { onRemove: () => onChange((courses) => courses.toSpliced(at, 1)) } : {})}
          />
        ))}
        {value.length < 50 && (
          <div>
            <Button
              variant="subtle"
              size="compact-sm"
              leftSection={<IconPlus size={14} aria-hidden />}
              onClick={() => onChange((courses) => [...courses, noCourse])}
            >
              {t('addCourse')}
            </Button>
          </div>
        )}
      </Stack>
    </Fieldset>
  );
}

type OneProps = { value: KeyCourse; onChange: (value: Partial<KeyCourse>) => void; onRemove?: () => void };

function OneCourse({ value, onChange, onRemove }: OneProps) {
  const t = useTranslations('keys');
  const words = useDurationText();
  const { course, query } = useOffered(value.courseId);
  const options = course?.AvailableEnrolOptions ?? [];
  const only = options.length === 1 ? options[0]?.DurationID : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the only option is selected when the course is loaded
  useEffect(() => {
    if (only !== undefined && value.durationId === undefined) onChange({ durationId: only });
  }, [only, value.durationId]);
  const isWithout = course !== undefined && !query.isFetching && options.length === 0;
  return (
    <div className="key-course">
      <CoursePicker
        value={value.courseId}
        onChange={(courseId) => onChange({ courseId, durationId: undefined })}
        required
      />
      <NativeSelect
        label={t('option')}
        required
        disabled={value.courseId === undefined}
        {...(isWithout ? { error: t('noOptions') } : {})}
        value={value.durationId ?? ''}
        onChange={(event) => onChange({ durationId: event.currentTarget.value || undefined })}
        data={[
          { value: '', label: t('chooseOption') },
          ...options.map(({ DurationID, Name, Duration }) => ({
            value: DurationID,
            label: `${Name} · ${words(Duration)}`,
          })),
        ]}
      />
      {onRemove && (
        <Button variant="subtle" color="gray" onClick={onRemove}>
          {t('removeCourse')}
        </Button>
      )}
    </div>
  );
}
