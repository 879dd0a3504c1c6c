import './home/home.css';
import { lazy, Suspense } from 'react';
import { useApi } from '../api/api.tsx';
import { useSession } from '../api/session.tsx';
import { Waiting } from '../parts/states.tsx';

const MyCourses = lazy(() => import('./home/my-courses.tsx'));
const Overview = lazy(() => import('./home/overview.tsx'));
const Deployment = lazy(() => import('./home/deployment.tsx'));

/** The start page depends on the role: learners see their courses, operators without a tenant see the deployment. */
export default function Home() {
  const { Role } = useSession();
  const { tenant } = useApi();
  const Page =
    Role === 'learner' ? MyCourses : Role === 'operator' && tenant === null ? Deployment : Overview;
  return (
    <Suspense fallback={<Waiting />}>
      <Page />
    </Suspense>
  );
}
