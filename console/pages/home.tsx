import './home/home.css';
import { lazy, Suspense, useEffect } from 'react';
import { useApi } from '../api/api.tsx';
import { useSession } from '../api/session.tsx';
import { Waiting } from '../parts/states.tsx';

const Overview = lazy(() => import('./home/overview.tsx'));
const Deployment = lazy(() => import('./home/deployment.tsx'));

/** Learners have scripts of their own, which the page chooses when it loads. */
function LearnersHome() {
  useEffect(() => location.replace(`/console${location.search}`), []);
  return <Waiting />;
}

/** The start page depends on the role: learners see their courses, operators without a tenant see the deployment. */
export default function Home() {
  const { Role } = useSession();
  const { tenant } = useApi();
  const Page =
    Role === 'learner' ? LearnersHome : Role === 'operator' && tenant === null ? Deployment : Overview;
  return (
    <Suspense fallback={<Waiting />}>
      <Page />
    </Suspense>
  );
}
