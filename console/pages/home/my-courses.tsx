import { Button, Center, SimpleGrid, Stack, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { useSession } from '../../api/session.tsx';
import { useFilters } from '../../parts/filters.tsx';
import { Page } from '../../parts/page.tsx';
import { paged } from '../../parts/paged.ts';
import { Failed, Message, WaitingRows } from '../../parts/states.tsx';
import { Acknowledgement } from './acknowledgement.tsx';
import { CourseCard } from './course-card.tsx';

type Enrolment = components['schemas']['Enrolment'];

const lastUsed = ({ LastAccessedAt, EnrolledAt }: Enrolment) => LastAccessedAt ?? EnrolledAt;
const byLastUse = (one: Enrolment, other: Enrolment) => (lastUsed(one) < lastUsed(other) ? 1 : -1);

/** The earlier of the due date and the end of access; the latest text without either. */
const nextDate = ({ DueAt, ExpiresAt }: Enrolment) => [DueAt ?? '9', ExpiresAt ?? '9'].sort()[0] ?? '9';

/** What is due or ends first comes first, then what was used last. */
function byUrgency(one: Enrolment, other: Enrolment): number {
  if (nextDate(one) === nextDate(other)) return byLastUse(one, other);
  return nextDate(one) < nextDate(other) ? -1 : 1;
}

/** Leaves out enrolments that a later one on the same course has replaced. */
function currentOf(all: readonly Enrolment[]): Enrolment[] {
  const newest = new Map<string, Enrolment>();
  for (const one of all) {
    const known = newest.get(one.CourseID);
    if (!known || known.EnrolledAt < one.EnrolledAt) newest.set(one.CourseID, one);
  }
  return [...newest.values()];
}

export default function MyCourses() {
  const t = useTranslations('home');
  const { LoginID, Scopes } = useSession();
  const { $api } = useApi();
  const params = { path: { LoginID: LoginID ?? '' }, query: { Limit: 1 } };
  const isAllowed = Scopes.includes('requirements:read');
  const team = $api.useQuery('get', '/team/{LoginID}', { params }, { enabled: isAllowed, retry: false });
  const isManager = (team.data?.Items.length ?? 0) > 0;
  const toTeam = (
    <Button variant="default" renderRoot={(props) => <Link to="/console/team" {...props} />}>
      {t('myTeam')}
    </Button>
  );
  const redeem = (
    <Button variant="default" renderRoot={(props) => <Link to="/console/redeem" {...props} />}>
      {t('redeemKey')}
    </Button>
  );
  return (
    <Page
      title={t('myCourses')}
      actions={
        <>
          {isManager && toTeam}
          {Scopes.includes('enrolments:write') && redeem}
        </>
      }
    >
      <Courses />
    </Page>
  );
}

function Courses() {
  const t = useTranslations('home');
  const { LoginID, Scopes } = useSession();
  const { $api } = useApi();
  const [filters] = useFilters(['left']);
  const links = Scopes.includes('enrolments:launch') ? { Include: 'LaunchURL' as const } : {};
  const params = { path: { LoginID: LoginID ?? '' }, query: { Limit: 100, ...links } };
  const query = $api.useInfiniteQuery('get', '/enrolment/{LoginID}', { params }, paged);
  if (query.isPending) return <WaitingRows />;
  if (!query.data) return <Failed error={query.error} onRetry={() => query.refetch()} />;
  const all = currentOf(query.data.pages.flatMap((page) => page?.Items ?? [])).sort(byLastUse);
  if (all.length === 0) return <Message title={t('noCourses')} text={t('noCoursesText')} />;
  const done = all.filter(({ Outcome }) => Outcome === 'passed' || Outcome === 'completed');
  const others = all.filter((one) => !done.includes(one));
  const ended = others.filter(({ Status }) => Status === 'expired' || Status === 'withdrawn');
  const open = others.filter((one) => !ended.includes(one)).sort(byUrgency);
  const left = all.find(({ EnrollID }) => EnrollID === filters.left);
  return (
    <Stack gap="xl">
      {left && <Acknowledgement enrolment={left} next={open.find((one) => one !== left)} />}
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
      <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing={{ base: 'sm', sm: 'lg' }}>
        {enrolments.map((enrolment) => (
          <CourseCard key={enrolment.EnrollID} enrolment={enrolment} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}
