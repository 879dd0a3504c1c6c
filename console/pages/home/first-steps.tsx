import { Anchor, Badge, Button, Paper, Stack, Text } from '@mantine/core';
import { IconCircle, IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { namesOf } from '../../parts/choices.ts';
import { Section } from '../../parts/section.tsx';

type Course = components['schemas']['AuthoredCourse'];
type Tenant = components['schemas']['Tenant'];
type Step = 'course' | 'option' | 'tenant' | 'key' | 'enrolment';

/** With more tenants than this, the introduction is no longer needed. */
const maxNewTenants = 3;

/** Whether any of the first tenants has a key and an enrolment. */
function useFirstSteps(tenants: readonly Tenant[]) {
  const { client } = useApi();
  const ids = tenants.map(({ TenantID }) => TenantID);
  return useQuery({
    queryKey: ['first-steps', ids],
    enabled: ids.length <= maxNewTenants,
    queryFn: async () => {
      const read = ids.map(async (TenantID) => {
        const query = { Limit: 1 };
        const headers = { Tenant: encodeURIComponent(TenantID) };
        const [keys, enrolments] = await Promise.all([
          client.GET('/tenant/{TenantID}/key', { params: { path: { TenantID }, query } }),
          client.GET('/enrolment', { params: { query }, headers }),
        ]);
        if (!keys.data || !enrolments.data) throw keys.error ?? enrolments.error;
        return { key: keys.data.Items.length > 0, enrolment: enrolments.data.Items.length > 0 };
      });
      const found = await Promise.all(read);
      return { key: found.some(({ key }) => key), enrolment: found.some(({ enrolment }) => enrolment) };
    },
  });
}

type Props = { tenants: readonly Tenant[]; courses: readonly Course[] };

/** The steps that lead to the first enrolment. Hidden once every step is done. */
export function FirstSteps({ tenants, courses }: Props) {
  const t = useTranslations('home');
  const progress = useFirstSteps(tenants);
  if (!progress.data) return null;
  const done: Record<Step, boolean> = {
    course: courses.some(({ Standard }) => Standard !== null),
    option: courses.some(({ EnrolOptions }) => EnrolOptions.length > 0),
    tenant: tenants.length > 0,
    ...progress.data,
  };
  const steps = namesOf(done);
  const next = steps.find((step) => !done[step]);
  if (!next) return null;
  return (
    <Section isShort title={t('firstSteps')} text={t('firstStepsText')}>
      <Paper withBorder component="ol" className="rows">
        {steps.map((step) => (
          <StepRow
            key={step}
            step={step}
            isDone={done[step]}
            isNext={step === next}
            link={placeOf(step, courses[0]?.CourseID, tenants[0]?.TenantID)}
          />
        ))}
      </Paper>
    </Section>
  );
}

function placeOf(step: Step, courseId: string | undefined, tenantId: string | undefined): LinkProps {
  if (step === 'option' && courseId !== undefined)
    return { to: '/console/courses/$courseId', params: { courseId } };
  if (step === 'course' || step === 'option') return { to: '/console/courses' };
  if (tenantId === undefined || step === 'tenant') return { to: '/console/tenants' };
  if (step === 'key') return { to: '/console/tenants/$tenantId', params: { tenantId } };
  return { to: '/console/users', search: { tenant: tenantId } };
}

type StepProps = { step: Step; isDone: boolean; isNext: boolean; link: LinkProps };

function StepRow({ step, isDone, isNext, link }: StepProps) {
  const t = useTranslations('home');
  const Icon = isDone ? IconCircleCheck : IconCircle;
  return (
    <li>
      <Stack gap={0} miw={0}>
        <Text fw={600} size="sm" component="span" className="step">
          <Icon
            size={20}
            stroke={1.6}
            color={isDone ? 'var(--lectern-well)' : 'var(--mantine-color-dimmed)'}
            aria-hidden
          />
          {t(`steps.${step}.title`)}
        </Text>
        <Text size="sm" c="dimmed" className="step-text">
          {t(`steps.${step}.text`)}
        </Text>
      </Stack>
      {isDone ? (
        <Badge color="green">{t('done')}</Badge>
      ) : isNext ? (
        <Button size="xs" className="act" renderRoot={(props) => <Link {...link} {...props} />}>
          {t(`steps.${step}.act`)}
        </Button>
      ) : (
        <Anchor size="sm" className="act" renderRoot={(props) => <Link {...link} {...props} />}>
          {t(`steps.${step}.act`)}
        </Anchor>
      )}
    </li>
  );
}
