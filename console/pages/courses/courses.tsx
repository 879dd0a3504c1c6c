import type { ReactNode } from 'react';
import { useSession } from '../../api/session.tsx';
import { useSelected } from '../bulk/selected.ts';
import { AuthoredCourses } from './authored-courses.tsx';
import { OfferedCourses } from './offered-courses.tsx';
import { PublishCourses } from './publish-courses.tsx';

export default function Courses(): ReactNode {
  const selected = useSelected();
  if (useSession().Role !== 'operator') return <OfferedCourses />;
  // Not a page with its own path, because any segment may be the CourseID of a course.
  return selected?.of === 'publish' ? (
    <PublishCourses key={selected.id} courses={selected.courses} />
  ) : (
    <AuthoredCourses />
  );
}
