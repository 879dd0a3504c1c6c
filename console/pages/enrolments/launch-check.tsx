import { Button, Group, Paper, Skeleton, Stack, Text, ThemeIcon, Title, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { useAction } from '../../parts/action.tsx';
import { useDayFormat } from '../../parts/day-zone.ts';
import { Failed, FailedAction } from '../../parts/states.tsx';
import { useFactorText } from '../../parts/time-factor.tsx';
import { notify } from '../../parts/toast.tsx';
import { EnableButton } from '../users/user-actions.tsx';
import { useDurationText } from './duration-text.ts';
import { Findings } from './findings.tsx';
import { useChange, useEnrol } from './use-changes.ts';
import type { Enrolment, Explanation, Option } from './values.tsx';

type Rule = Explanation['Rules'][number];

type Props = {
  enrolment: Enrolment;
  name: string;
  /** This enrolment's option, if it is still available. */
  option: Option | undefined;
  /** Whether a newer enrolment has replaced this one, which then cannot be extended or restored. */
  isReplaced: boolean;
  onSetEnd: () => void;
  onReset: () => void;
};

/**
 * Shows whether the learner can start, with reasons and remedies. The service applies the same rules as for a launch.
 */
export function LaunchCheck(props: Props) {
  const { LoginID, EnrollID } = props.enrolment;
  const t = useTranslations('enrolments');
  const factorText = useFactorText();
  const { $api } = useApi();
  const { data, error, refetch } = $api.useQuery('get', '/enrolment/{LoginID}/{EnrollID}/explain', {
    params: { path: { LoginID, EnrollID } },
  });
  if (error && !data) return <Failed error={error} onRetry={refetch} />;
  if (!data) return <Skeleton height={180} />;
  const failed = data.Rules.filter(({ Passed }) => !Passed);
  const passed = data.Rules.filter(({ Passed }) => Passed);
  const verdict = data.MayLaunch ? 'can' : 'cannot';
  return (
    <Paper withBorder p="lg" className="verdict" data-verdict={verdict} component="section">
      <Stack gap="md">
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <Mark passed={data.MayLaunch} size="lg" />
          <Stack gap={2} miw={0}>
            <Title order={2} size="h3" className="break">
              {t(`verdict.${verdict}`, { name: props.name })}
            </Title>
            <Text size="sm" c="dimmed">
              {t(`verdict.${verdict}Text`)}
            </Text>
          </Stack>
        </Group>
        <ul className="rules" aria-label={t('verdict.rules')} hidden={failed.length === 0}>
          {failed.map((rule) => (
            <FailedRule key={rule.Rule} rule={rule} {...props} />
          ))}
        </ul>
        {passed.length > 0 && (
          <details>
            <Text component="summary" size="sm" c="dimmed">
              {t('verdict.met', { count: passed.length })}
            </Text>
            <ul className="rules" aria-label={t('verdict.rulesMet')}>
              {passed.map((rule) => (
                <li key={rule.Rule} className="rule">
                  <Mark passed size="sm" />
                  <Text size="sm" c="dimmed">
                    {t(`rules.${rule.Rule}.passed`)}
                  </Text>
                </li>
              ))}
            </ul>
          </details>
        )}
        {data.TimeFactor !== 1 && (
          <Text size="sm">
            {t(`timeFactor.${data.TimeFactorFrom}`, { factor: factorText(data.TimeFactor) })}
          </Text>
        )}
        <Findings explanation={data} />
      </Stack>
    </Paper>
  );
}

function Mark({ passed, size }: { passed: boolean; size: 'sm' | 'lg' }) {
  const Icon = passed ? IconCheck : IconX;
  return (
    <ThemeIcon color={passed ? 'green' : 'red'} variant="light" radius="xl" size={size} aria-hidden>
      <Icon size={size === 'lg' ? 20 : 14} />
    </ThemeIcon>
  );
}

function FailedRule({ rule, ...props }: Props & { rule: Rule }) {
  const t = useTranslations('enrolments');
  return (
    <li className="rule">
      <Mark passed={false} size="sm" />
      <Stack gap="xs" align="flex-start" miw={0}>
        <div>
          <Text size="sm" fw={600}>
            <VisuallyHidden>{t('verdict.failed')} </VisuallyHidden>
            {t(`rules.${rule.Rule}.failed`)}
          </Text>
          <Text size="sm">{t(`rules.${rule.Rule}.help`)}</Text>
        </div>
        {remedies[rule.Rule](props)}
      </Stack>
    </li>
  );
}

/** The remedy for each rule, which is shown next to the reason. */
const remedies: Record<Rule['Rule'], (props: Props) => ReactNode> = {
  user_enabled: ({ enrolment }) => <EnableButton user={enrolment} />,
  not_withdrawn: (props) => !props.isReplaced && <Restore {...props} />,
  not_expired: (props) => !props.isReplaced && <Extend {...props} />,
  course_available: ({ enrolment }) => <OpenCourse courseId={enrolment.CourseID} />,
  course_playable: ({ enrolment }) => <OpenCourse courseId={enrolment.CourseID} />,
  attempts_left: (props) => <Reset {...props} />,
  cool_down_over: (props) => <Reset {...props} />,
  signed_in: () => null,
};

function OpenCourse({ courseId }: { courseId: string }) {
  const t = useTranslations('enrolments');
  return (
    <Button
      variant="default"
      renderRoot={(props) => <Link to="/console/courses/$courseId" params={{ courseId }} {...props} />}
    >
      {t('openCourse')}
    </Button>
  );
}

function Reset({ onReset }: Props) {
  const t = useTranslations('enrolments.attempts');
  return <Button onClick={onReset}>{t('reset')}</Button>;
}

function Restore({ enrolment }: Props) {
  const t = useTranslations('enrolments');
  const change = useChange(enrolment);
  const restoring = useAction(() => change({ Withdrawn: false }, t('restore.done')));
  return (
    <>
      <Button loading={restoring.isRunning} onClick={() => restoring.run()}>
        {t('restore.button')}
      </Button>
      <FailedAction error={restoring.error} />
    </>
  );
}

/** Extends by the option's duration if the option is still available. Any other end date can be set by hand. */
function Extend({ enrolment, option, onSetEnd }: Props) {
  const t = useTranslations('enrolments');
  const duration = useDurationText();
  const day = useDayFormat();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const enrol = useEnrol();
  const { LoginID, CourseID, DurationID, EnrollID } = enrolment;
  const extending = useAction(async () => {
    const extended = await enrol({ LoginID, CourseID, DurationID, IfEnrolled: 'extend' });
    await queries.invalidateQueries();
    const { ExpiresAt } = extended;
    notify(ExpiresAt ? t('extend.done', { at: day(ExpiresAt) }) : t('extend.doneForever'));
    if (extended.EnrollID !== EnrollID)
      await navigate({
        to: '/console/enrolments/$loginId/$enrollId',
        params: { loginId: LoginID, enrollId: extended.EnrollID },
        search: {},
      });
  });
  const canExtend = option && enrolment.Status !== 'withdrawn';
  return (
    <>
      <Group gap="xs">
        {canExtend && (
          <Button loading={extending.isRunning} onClick={() => extending.run()}>
            {option.Duration === null
              ? t('extend.forever')
              : t('extend.by', { duration: duration(option.Duration) })}
          </Button>
        )}
        <Button variant="default" onClick={onSetEnd}>
          {t('access.button')}
        </Button>
      </Group>
      <FailedAction error={extending.error} />
    </>
  );
}
