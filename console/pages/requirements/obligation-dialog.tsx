import { Alert, Anchor, Button, Group, Modal, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { IconCheck, IconX } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import { useAction } from '../../parts/action.tsx';
import { useDayValue } from '../../parts/day-zone.ts';
import { usePercent } from '../../parts/percent.ts';
import { Failed, FailedAction, WaitingRows } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { Instant, LabelledValue, LabelledValues, Note } from '../../parts/values.tsx';
import { Names, useName } from '../users/person.tsx';
import { useBecause } from './because.ts';
import { type Obligation, StatusBadge } from './status.tsx';

type Explanation = components['schemas']['ObligationExplanation'];
type Shown = Pick<
  Obligation,
  'RequirementID' | 'Title' | 'Cycle' | 'Status' | 'ExemptReason' | 'ExemptUntil' | 'EnrollID'
> & {
  LoginID: string | null;
};

const parts = ['Groups', 'Attributes', 'Managers', 'LoginIDs'] as const;
const named: readonly string[] = ['Managers', 'LoginIDs'];
const dates = ['ExemptUntil', 'DueAt', 'DueSoonAt', 'MetAt', 'ValidUntil', 'ExpiringAt'] as const;

type Props = { obligation: Shown; isPast?: boolean; onClose: () => void };

/**
 * Why somebody is on the list, what each date follows from, where the proof is, and the exemption. An obligation of a past
 * day is explained as it is today.
 */
export function ObligationDialog({ obligation, isPast = false, onClose }: Props) {
  const t = useTranslations('requirements');
  const act = useTranslations('act');
  const { $api } = useApi();
  const { LoginID, RequirementID, Title: title, Cycle } = obligation;
  const path = { LoginID: LoginID ?? '', RequirementID };
  const name = useName(path.LoginID);
  const asked = $api.useQuery('get', '/obligation/{LoginID}/{RequirementID}/explain', {
    params: { path, query: { Cycle } },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={`${name}: ${title}`}
      closeButtonProps={{ 'aria-label': act('close') }}
    >
      {asked.data ? (
        <Stack>
          {isPast && (
            <Text size="sm" c="dimmed">
              {t('explain.today')}
            </Text>
          )}
          <Explained {...asked.data} />
          {!isPast && <Exemption obligation={obligation} path={path} onDone={onClose} />}
        </Stack>
      ) : asked.error ? (
        <Failed error={asked.error} onRetry={asked.refetch} />
      ) : (
        <WaitingRows rows={4} />
      )}
    </Modal>
  );
}

function Explained(one: Explanation) {
  const t = useTranslations('requirements');
  const { Audience, Dates, Enabled, EnrolProblem, Failed, InAudience, Next, Renewal, SatisfiedBy, Status } =
    one;
  const because = useBecause();
  const percent = usePercent();
  return (
    <>
      <Stack gap={4}>
        <Title order={3} size="h5">
          {t(InAudience ? 'explain.why' : 'explain.whyNot')}
        </Title>
        {!Enabled && <Text size="sm">{t('explain.disabled')}</Text>}
        {Audience.length === 0 && <Text size="sm">{t('everybody')}</Text>}
        {Audience.map(({ Part, Values, Matches, Matching }) => (
          <Group key={Part} gap="xs" wrap="nowrap" align="flex-start">
            {Matches ? (
              <IconCheck
                size={18}
                color="var(--mantine-color-green-text)"
                role="img"
                aria-label={t('explain.matches')}
              />
            ) : (
              <IconX
                size={18}
                color="var(--mantine-color-error)"
                role="img"
                aria-label={t('explain.matchesNot')}
              />
            )}
            <Text size="sm" className="break">
              {t(`parts.${parts.find((one) => one === Part) ?? 'LoginIDs'}`)}:{' '}
              {named.includes(Part) ? <Names loginIds={Values} /> : Values.join(', ')}
              {Matching.length > 0 && Matching.length < Values.length && (
                <Note>
                  {t.rich('explain.matching', {
                    names: () => (named.includes(Part) ? <Names loginIds={Matching} /> : Matching.join(', ')),
                  })}
                </Note>
              )}
            </Text>
          </Group>
        ))}
      </Stack>
      <Stack gap={4}>
        <Group gap="sm">
          <Title order={3} size="h5">
            {t('explain.dates')}
          </Title>
          {Status && <StatusBadge status={Status} />}
        </Group>
        <LabelledValues>
          {Dates.map(({ Name, At, ...reason }) => (
            <LabelledValue key={Name} label={t(`dates.${dates.find((one) => one === Name) ?? 'DueAt'}`)}>
              <Instant at={At} none={t('permanently')} isDay />
              <Note>{because(reason)}</Note>
            </LabelledValue>
          ))}
        </LabelledValues>
      </Stack>
      <Stack gap={4}>
        <Title order={3} size="h5">
          {t('explain.next')}
        </Title>
        {Failed && (
          <Text size="sm">
            {t.rich(Failed.Score === null ? 'explain.failed' : 'explain.failedWith', {
              at: () => <Instant at={Failed.At} isDay />,
              score: percent(Failed.Score ?? 0),
            })}
          </Text>
        )}
        <Text size="sm">{because(Next)}</Text>
        {Renewal && Renewal.EnrollID !== null && (
          <EnrolmentLink loginId={one.LoginID} enrollId={Renewal.EnrollID} text={t('explain.renewal')} />
        )}
        {SatisfiedBy && SatisfiedBy.EnrollID !== null && (
          <EnrolmentLink loginId={one.LoginID} enrollId={SatisfiedBy.EnrollID} text={t('explain.proof')} />
        )}
        {SatisfiedBy && SatisfiedBy.EnrollID === null && <Text size="sm">{t('explain.elsewhere')}</Text>}
      </Stack>
      {EnrolProblem && (
        <Alert color="orange" title={t('explain.notEnrolled')}>
          {t('explain.notEnrolledText')}{' '}
          {t.rich('explain.retried', { at: () => <Instant at={EnrolProblem.RetryAt} isDay /> })}
        </Alert>
      )}
    </>
  );
}

type LinkProps = { loginId: string; enrollId: string; text: string };

const EnrolmentLink = ({ loginId, enrollId, text }: LinkProps) => (
  <Anchor
    size="sm"
    w="fit-content"
    renderRoot={(props) => (
      <Link to="/console/enrolments/$loginId/$enrollId" params={{ loginId, enrollId }} {...props} />
    )}
  >
    {text}
  </Anchor>
);

type ExemptionProps = {
  obligation: Shown;
  path: { LoginID: string; RequirementID: string };
  onDone: () => void;
};

function Exemption({ obligation, path, onDone }: ExemptionProps) {
  const { Status, ExemptReason, ExemptUntil, EnrollID } = obligation;
  const t = useTranslations('requirements');
  const act = useTranslations('act');
  const { client } = useApi();
  const queries = useQueryClient();
  const dayOf = useDayValue();
  const isExempt = Status === 'exempt';
  const [reason, setReason] = useState<string | null>(null);
  const [until, setUntil] = useState(ExemptUntil === null ? '' : dayOf(ExemptUntil));
  const isEnding = isExempt && reason === null;
  const doing = useAction(async () => {
    const exemption = { Exempt: true, Reason: reason ?? '', Until: until || null };
    const body = isEnding ? { Exempt: false } : exemption;
    await dataOf(client.PUT('/obligation/{LoginID}/{RequirementID}', { params: { path }, body }));
    await queries.invalidateQueries();
    notify(t(isEnding ? 'exempt.ended' : isExempt ? 'exempt.changed' : 'exempt.done'));
    onDone();
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void doing.run();
      }}
    >
      <Stack gap="sm">
        {ExemptReason !== null && isExempt && (
          <Text size="sm">
            {ExemptUntil === null
              ? t('exempt.because', { reason: ExemptReason })
              : t.rich('exempt.becauseUntil', {
                  reason: ExemptReason,
                  at: () => <Instant at={ExemptUntil} isDay />,
                })}
          </Text>
        )}
        {reason !== null && (
          <Textarea
            label={t('exempt.reason')}
            description={t('exempt.reasonText')}
            required
            maxLength={1000}
            autosize
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
            data-autofocus
          />
        )}
        {reason !== null && (
          <TextInput
            type="date"
            label={t('exempt.until')}
            description={t('exempt.untilText')}
            value={until}
            onChange={(event) => setUntil(event.currentTarget.value)}
            maw={260}
          />
        )}
        <FailedAction error={doing.error} />
        <Group justify="flex-end">
          {reason?.trim() === '' && (
            <Text size="sm" c="dimmed" flex={1}>
              {act('missing', { what: t('exempt.reason') })}
            </Text>
          )}
          {EnrollID !== null && (
            <Button
              variant="default"
              renderRoot={(props) => (
                <Link
                  to="/console/enrolments/$loginId/$enrollId"
                  params={{ loginId: path.LoginID, enrollId: EnrollID }}
                  {...props}
                />
              )}
            >
              {t('openEnrolment')}
            </Button>
          )}
          {Status !== 'closed' && reason === null && (
            <Button variant="default" onClick={() => setReason(isExempt ? (ExemptReason ?? '') : '')}>
              {t(isExempt ? 'exempt.change' : 'exempt.submit')}
            </Button>
          )}
          {(isEnding || reason !== null) && (
            <Button type="submit" loading={doing.isRunning} disabled={!isEnding && !reason?.trim()}>
              {t(isEnding ? 'exempt.end' : isExempt ? 'exempt.save' : 'exempt.submit')}
            </Button>
          )}
        </Group>
      </Stack>
    </form>
  );
}
