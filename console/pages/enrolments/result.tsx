import { Alert, Button, Group, Paper, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { useAction } from '../../parts/action.tsx';
import { usePercent } from '../../parts/percent.ts';
import { FailedAction } from '../../parts/states.tsx';
import { Copyable, Instant, LabelledValue, LabelledValues } from '../../parts/values.tsx';
import { useChange } from './use-changes.ts';
import { EndOf, type Enrolment, ProgressOf, useTimeSpent } from './values.tsx';

type Recorded = Enrolment['Recorded'];

/** The effective result, next to the result that the course recorded if the two differ. */
export function Result({ enrolment, onOverride }: { enrolment: Enrolment; onOverride: () => void }) {
  const t = useTranslations('enrolments');
  const time = useTimeSpent();
  const { Override } = enrolment;
  return (
    <Paper withBorder p="lg" component="section" className="part">
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h4">
            {t('result')}
          </Title>
          <Button variant="default" size="xs" onClick={onOverride}>
            {t(Override ? 'override.edit' : 'override.button')}
          </Button>
        </Group>
        <SimpleGrid cols={{ base: 2, sm: 4 }}>
          <Figure enrolment={enrolment} name="Completion" />
          <Figure enrolment={enrolment} name="Success" />
          <Figure enrolment={enrolment} name="Score" />
          <div>
            <Text size="sm" c="dimmed">
              {t('progress')}
            </Text>
            <ProgressOf value={enrolment.Progress} />
          </div>
        </SimpleGrid>
        {Override && <Overridden enrolment={enrolment} override={Override} />}
        <LabelledValues>
          <LabelledValue label={t('enrolledAt')}>
            <Instant at={enrolment.EnrolledAt} />
          </LabelledValue>
          <LabelledValue label={t('startedAt')}>
            <Instant at={enrolment.StartedAt} none={t('notYet')} />
          </LabelledValue>
          <LabelledValue label={t('lastAccessedAt')}>
            <Instant at={enrolment.LastAccessedAt} none={t('notYet')} />
          </LabelledValue>
          <LabelledValue label={t('completedAt')}>
            <Instant at={enrolment.CompletedAt} none={t('notYet')} />
          </LabelledValue>
          <LabelledValue label={t('dueAt')}>
            <Instant at={enrolment.DueAt} none={t('noDueDate')} />
          </LabelledValue>
          <LabelledValue label={t('ends')}>
            <EndOf at={enrolment.ExpiresAt} />
          </LabelledValue>
          <LabelledValue label={t('timeSpent')}>{time(enrolment.TotalSeconds)}</LabelledValue>
          <LabelledValue label={t('launches')}>{enrolment.Launches}</LabelledValue>
          <LabelledValue label={t('option')}>{enrolment.DurationID}</LabelledValue>
        </LabelledValues>
      </Stack>
    </Paper>
  );
}

/** Part of a result in words. */
export function useResultText() {
  const t = useTranslations('enrolments');
  const percent = usePercent();
  return <Name extends keyof Recorded>(name: Name, value: Recorded[Name]): string => {
    if (name === 'Completion') return t(`completions.${value as Recorded['Completion']}`);
    if (name === 'Success') return t(`successes.${value as Recorded['Success']}`);
    return value === null ? '–' : percent(Number(value));
  };
}

const labels = { Completion: 'completion', Success: 'success', Score: 'score' } as const;

function Figure({ enrolment, name }: { enrolment: Enrolment; name: keyof Recorded }) {
  const t = useTranslations('enrolments');
  const text = useResultText();
  const differs = enrolment[name] !== enrolment.Recorded[name];
  return (
    <div>
      <Text size="sm" c="dimmed">
        {t(labels[name])}
      </Text>
      <Text fw={600}>{text(name, enrolment[name])}</Text>
      {differs && (
        <Text size="xs" c="dimmed">
          {t('override.recorded', { value: text(name, enrolment.Recorded[name]) })}
        </Text>
      )}
    </div>
  );
}

type OverriddenProps = {
  enrolment: Enrolment;
  override: NonNullable<Enrolment['Override']>;
};

function Overridden({ enrolment, override }: OverriddenProps) {
  const t = useTranslations('enrolments');
  const change = useChange(enrolment);
  const removing = useAction(() => change({ Override: null }, t('override.removed')));
  return (
    <Alert color="blue" variant="light" title={t('override.is')}>
      <Stack gap="xs" align="flex-start">
        <Text size="sm" className="break">
          {override.Reason}
        </Text>
        <Text size="xs" c="dimmed">
          <Instant at={override.At} />
        </Text>
        <FailedAction error={removing.error} />
        <Button variant="default" size="xs" loading={removing.isRunning} onClick={() => removing.run()}>
          {t('override.remove')}
        </Button>
      </Stack>
    </Alert>
  );
}

/** Data the client stored with the enrolment, and its identifiers in the API. */
export function Details({ enrolment, onEdit }: { enrolment: Enrolment; onEdit: () => void }) {
  const t = useTranslations('enrolments');
  return (
    <Paper withBorder p="lg" component="section" className="part">
      <Stack>
        <Group justify="space-between">
          <Title order={2} size="h4">
            {t('details.title')}
          </Title>
          <Button variant="default" size="xs" onClick={onEdit}>
            {t('details.edit')}
          </Button>
        </Group>
        <LabelledValues>
          <LabelledValue label="EnrollID">
            <Copyable value={enrolment.EnrollID} label="EnrollID" />
          </LabelledValue>
          <LabelledValue label="CourseID">{enrolment.CourseID}</LabelledValue>
          <LabelledValue label={t('reference')}>{enrolment.Reference ?? '–'}</LabelledValue>
          {Object.entries(enrolment.Metadata).map(([name, value]) => (
            <LabelledValue key={name} label={name}>
              {value}
            </LabelledValue>
          ))}
        </LabelledValues>
      </Stack>
    </Paper>
  );
}
