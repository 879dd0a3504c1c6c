import { Group, Text, TextInput, type TextInputProps } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useTranslations } from 'use-intl';
import { CourseImage, useCourseImage } from '../../parts/course-image.tsx';
import type { AuthoredCourse } from './values.tsx';

type ImageFieldProps = {
  course: AuthoredCourse;
  field: Pick<TextInputProps, 'onChange'> & { value: string };
};

/** The URL of the course's image, with the image as learners see it. */
export function ImageField({ course, field }: ImageFieldProps) {
  const t = useTranslations('courses.fields');
  const [url] = useDebouncedValue(field.value, 400);
  const image = useCourseImage(url === '' ? null : url);
  const { state } = image;
  return (
    <Group align="flex-start" gap="lg">
      <TextInput
        label={t('image')}
        description={t('imageText')}
        type="url"
        maxLength={2048}
        placeholder="https://"
        flex="1 1 20rem"
        {...field}
      />
      <div className="image-preview">
        <CourseImage courseId={course.CourseID} image={image} className="framed" />
        <Text
          size="xs"
          c={state === 'broken' || state === 'insecure' ? 'red' : 'dimmed'}
          mt={6}
          role="status"
        >
          {t(`imageStates.${state}`)}
        </Text>
      </div>
    </Group>
  );
}
