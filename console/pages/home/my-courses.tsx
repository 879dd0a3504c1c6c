import { Button, Center, SimpleGrid, Stack, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { Page } from '../../parts/page.tsx';
import { paged } from '../../parts/paged.ts';
import { Failed, Message, WaitingRows } from '../../parts/states.tsx';
import { CourseCard } from './course-card.tsx';

type Enrolment = components['schemas']['Enrolment'];

const lastUsed = ({ LastAccessedAt, EnrolledAt }: Enrolment) => LastAccessedAt ?? EnrolledAt;
const byLastUse = (one: Enrolment, other: Enrolment) => (lastUsed(one) < lastUsed(other) ? 1 : -1);

export default function MyCourses() {
  const t = useTranslations('home');
  const { Scopes } = useSession();
  const redeem = (
    <Button variant="default" renderRoot={(props) => <Link to="/console/redeem" {...props} />}>
      {t('redeemKey')}
    </Button>
  );
  return (
    <Page title={t('myCourses')} actions={Scopes.includes('enrolments:write') && redeem}>
      <Courses />
    </Page>
  );
}

function Courses() {
  const t = useTranslations('home');
  const { LoginID, Scopes } = useSession();
  const { $api } = useApi();
  const links = Scopes.includes('enrolments:launch') ? { Include: 'LaunchURL' as const } : {};
  const params = { path: { LoginID: LoginID ?? '' }, query: { Limit: 100, ...links } };
  const query = $api.useInfiniteQuery('get', '/enrolment/{LoginID}', { params }, paged);
  if (query.isPending) return <WaitingRows />;
  if (!query.data) return <Failed error={query.error} onRetry={() => query.refetch()} />;
  const all = query.data.pages.flatMap((page) => page?.Items ?? []).sort(byLastUse);
  if (all.length === 0) return <Message title={t('noCourses')} text={t('noCoursesText')} />;
  const done = all.filter(({ Outcome }) => Outcome === 'passed' || Outcome === 'completed');
  const others = all.filter((one) => !done.includes(one));
  const ended = others.filter(({ Status }) => Status === 'expired' || Status === 'withdrawn');
  const open = others.filter((one) => !ended.includes(one));
  return (
    <Stack gap="xl">
      {open.length > 0 && <CourseSection title={t('openCourses')} enrolments={open} />}
      {done.length > 0 && <CourseSection title={t('completedCourses')} enrolments={done} />}
      {ended.length > 0 && <CourseSection title={t('endedCourses')} enrolments={ended} />}
      {query.hasNextPage && (
        <Center>
          <Button variant="default" loading={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
            {t('moreCourses')}
          </Button>
        </Center>
      )}
    </Stack>
  );
}

function CourseSection({ title, enrolments }: { title: string; enrolments: readonly Enrolment[] }) {
  return (
    <Stack component="section" aria-label={title}>
      <Title order={2} size="h4">
        {title}
      </Title>
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="lg">
        {enrolments.map((enrolment) => (
          <CourseCard key={enrolment.EnrollID} enrolment={enrolment} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}
