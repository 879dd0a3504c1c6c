import { Button, type ButtonProps, VisuallyHidden } from '@mantine/core';
import { IconUserPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import type { Course } from './values.tsx';

type EnrolLinkProps = {
  course: Pick<Course, 'CourseID' | 'Title' | 'Status' | 'AvailableEnrolOptions'>;
  size?: NonNullable<ButtonProps['size']>;
  variant?: NonNullable<ButtonProps['variant']>;
};

/** Links to the form for enrolling. Hidden if the service would refuse the enrolment. */
export function EnrolLink({ course, size = 'sm', variant = 'light' }: EnrolLinkProps) {
  const t = useTranslations('courses');
  const canEnrol = course.Status === 'published' && course.AvailableEnrolOptions.length > 0;
  if (!canEnrol) return null;
  return (
    <Button
      size={size}
      variant={variant}
      leftSection={<IconUserPlus size={16} aria-hidden />}
      renderRoot={(props) => (
        <Link to="/console/enrol" search={{ course: course.CourseID } as never} {...props} />
      )}
    >
      {t('enrol')}
      <VisuallyHidden>{` ${t('on', { title: course.Title })}`}</VisuallyHidden>
    </Button>
  );
}
