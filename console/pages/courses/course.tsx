import { useParams } from '@tanstack/react-router';
import { useSession } from '../../api/session.tsx';
import { AuthoredCourseById } from './authored-course.tsx';
import { OfferedCourse } from './offered-course.tsx';

export default function Course() {
  const { courseId = '' } = useParams({ strict: false });
  const { Role } = useSession();
  return Role === 'operator' ? (
    <AuthoredCourseById key={courseId} courseId={courseId} />
  ) : (
    <OfferedCourse courseId={courseId} />
  );
}
