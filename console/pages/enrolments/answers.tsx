import { Group, NativeSelect, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import type { Enrolment } from './values.tsx';

type Unit = components['schemas']['UnitActivity'];
type Interaction = Unit['Interactions'][number];

const results = ['correct', 'incorrect', 'neutral', 'unanticipated'] as const;

/** The learner's answers in the current or an earlier attempt. */
export function Answers({ enrolment }: { enrolment: Enrolment }) {
  const t = useTranslations('enrolments.answers');
  const attempts = useTranslations('enrolments.attempts');
  const { $api } = useApi();
  const { LoginID, EnrollID, Attempt: current } = enrolment;
  const [chosen, setChosen] = useState<number | null>(null);
  const Attempt = chosen ?? current;
  const { data, error, refetch } = $api.useQuery('get', '/enrolment/{LoginID}/{EnrollID}/activity', {
    params: { path: { LoginID, EnrollID }, query: { Attempt, Limit: 200 } },
  });
  const answered = data?.Items.filter(({ Interactions }) => Interactions.length > 0) ?? [];
  if (current === 1 && data && answered.length === 0) return null;
  const numbers = Array.from({ length: current }, (_, index) => current - index);
  return (
    <Paper withBorder p="lg" component="section" className="part">
      <Stack>
        <Group justify="space-between" align="flex-end">
          <Title order={2} size="h4">
            {t('title')}
          </Title>
          {current > 1 && (
            <NativeSelect
              aria-label={attempts('title')}
              value={String(Attempt)}
              onChange={(event) => setChosen(Number(event.currentTarget.value))}
              data={numbers.map((number) => ({
                value: String(number),
                label: attempts('number', { number }),
              }))}
            />
          )}
        </Group>
        {error && !data ? <Failed error={error} onRetry={refetch} /> : null}
        {!data && !error && <WaitingRows />}
        {data && answered.length === 0 && <Text c="dimmed">{t('none')}</Text>}
        {answered.length > 0 && <AnswerTable units={answered} />}
      </Stack>
    </Paper>
  );
}

function AnswerTable({ units }: { units: readonly Unit[] }) {
  const t = useTranslations('enrolments.answers');
  return (
    <Table.ScrollContainer minWidth={640} tabIndex={0} role="region" aria-label={t('title')}>
      <Table verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('question')}</Table.Th>
            <Table.Th>{t('response')}</Table.Th>
            <Table.Th>{t('correct')}</Table.Th>
            <Table.Th>{t('result')}</Table.Th>
            <Table.Th ta="end">{t('time')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {units.flatMap((unit) =>
            unit.Interactions.map((interaction) => (
              <Answer
                key={`${unit.UnitID} ${interaction.Number}`}
                unit={unit.Title ?? unit.UnitID}
                interaction={interaction}
              />
            )),
          )}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Answer({ unit, interaction }: { unit: string; interaction: Interaction }) {
  const t = useTranslations('enrolments.answers');
  const format = useFormatter();
  const { InteractionID, Description, Response, CorrectResponses, Result, LatencySeconds } = interaction;
  const known = results.find((one) => one === Result);
  const color = known === 'correct' ? 'green' : known === 'incorrect' ? 'red' : undefined;
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" fw={500} className="break">
          {Description ?? InteractionID}
        </Text>
        <Text size="xs" c="dimmed" className="break">
          {unit}
        </Text>
      </Table.Td>
      <Table.Td className="break">{Response ?? '–'}</Table.Td>
      <Table.Td className="break">{CorrectResponses.join(' · ') || '–'}</Table.Td>
      <Table.Td>
        <Text size="sm" {...(color && { c: color })}>
          {known ? t(`results.${known}`) : (Result ?? '–')}
        </Text>
      </Table.Td>
      <Table.Td ta="end">
        {LatencySeconds === null
          ? '–'
          : format.number(LatencySeconds, { style: 'unit', unit: 'second', maximumFractionDigits: 1 })}
      </Table.Td>
    </Table.Tr>
  );
}
