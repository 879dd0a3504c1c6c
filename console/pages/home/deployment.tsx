import { Anchor, Button, Paper, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { DeploymentState } from '../deployment/state.tsx';
import { TenantLink } from '../tenants/tenant-link.tsx';
import { type AttentionItem, AttentionList } from './attention-list.tsx';
import { FirstSteps } from './first-steps.tsx';

type Course = components['schemas']['AuthoredCourse'];
type Tenant = components['schemas']['Tenant'];

const shownTenants = 6;

/** The whole deployment, for an operator who has not chosen a tenant. */
export default function Deployment() {
  const t = useTranslations('home');
  return (
    <Page title={t('deployment')} text={t('deploymentText')}>
      <Parts />
    </Page>
  );
}

function Parts() {
  const { $api } = useApi();
  const tenants = $api.useQuery('get', '/tenant', { params: { query: { Limit: shownTenants } } });
  const courses = $api.useQuery('get', '/course', { params: { query: { Limit: 200 } } });
  const error = tenants.error ?? courses.error;
  if (error)
    return (
      <Stack gap="xl">
        <DeploymentState />
        <Failed error={error} onRetry={() => Promise.all([tenants.refetch(), courses.refetch()])} />
      </Stack>
    );
  if (!tenants.data || !courses.data) return <WaitingRows />;
  return (
    <Stack gap="xl">
      <FirstSteps tenants={tenants.data.Items} courses={courses.data.Items} />
      <DeploymentState />
      {courses.data.Items.length > 0 && <Courses courses={courses.data.Items} />}
      {tenants.data.Items.length > 0 && (
        <Tenants tenants={tenants.data.Items} hasMore={tenants.data.NextCursor !== null} />
      )}
    </Stack>
  );
}

function Tenants({ tenants, hasMore }: { tenants: readonly Tenant[]; hasMore: boolean }) {
  const t = useTranslations('home');
  return (
    <Section isShort title={t('tenants')}>
      <Paper withBorder component="ul" className="rows">
        {tenants.map(({ TenantID, Name }) => (
          <li key={TenantID}>
            <Stack gap={0} miw={0}>
              <TenantLink tenantId={TenantID} name={Name} />
              {Name !== TenantID && (
                <Text size="sm" c="dimmed" className="break">
                  {TenantID}
                </Text>
              )}
            </Stack>
            <Button
              variant="default"
              size="xs"
              aria-label={`${t('act')}: ${Name}`}
              renderRoot={(props) => <Link to="/console" search={{ tenant: TenantID }} {...props} />}
            >
              {t('act')}
            </Button>
          </li>
        ))}
      </Paper>
      {hasMore && (
        <Anchor size="sm" renderRoot={(props) => <Link to="/console/tenants" {...props} />}>
          {t('allTenants')}
        </Anchor>
      )}
    </Section>
  );
}

/** Courses that need attention. Retired courses are left out, because nobody can start them. */
function Courses({ courses }: { courses: readonly Course[] }) {
  const t = useTranslations('home');
  const items = courses
    .filter(({ Status }) => Status !== 'retired')
    .flatMap(({ CourseID, Title, Standard, Warnings, EnrolOptions }): AttentionItem[] => {
      const text =
        Standard === null
          ? t('withoutContent')
          : Warnings
            ? t('withWarnings', { count: Warnings })
            : EnrolOptions.length === 0
              ? t('withoutOption')
              : null;
      const to = { to: '/console/courses/$courseId', params: { courseId: CourseID } } as const;
      return text === null ? [] : [{ key: CourseID, title: Title, text, act: t('openCourse'), link: to }];
    });
  return (
    <Section isShort title={t('coursesToSee')}>
      <AttentionList items={items} emptyText={t('coursesWell')} />
    </Section>
  );
}
