import type { ReactNode } from 'react';
import { useSession } from '../../api/session.tsx';
import { AuthoredCourses } from './authored-courses.tsx';
import { OfferedCourses } from './offered-courses.tsx';

export default function Courses(): ReactNode {
  return useSession().Role === 'operator' ? <AuthoredCourses /> : <OfferedCourses />;
}
