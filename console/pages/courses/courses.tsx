import { useSession } from '../../api/session.tsx';
import { AuthoredCourses } from './authored-courses.tsx';
import { OfferedCourses } from './offered-courses.tsx';

export default function Courses() {
  return useSession().Role === 'operator' ? <AuthoredCourses /> : <OfferedCourses />;
}
