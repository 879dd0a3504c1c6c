import { Badge, Group, Paper, Stack, Table, Text, Title } from '@mantine/core';
import { useTranslations } from 'use-intl';
import type { components } from '../../../client/src/generated.ts';
import { useApi } from '../../api/api.tsx';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { Instant } from '../../parts/values.tsx';
import { useResultText } from './result.tsx';
import type { Enrolment } from './values.tsx';

export type Attempt = components['schemas']['Attempt'];

/** Reads at most the latest 200 attempts. The API can return more, page by page. */
export function useAttempts({ LoginID, EnrollID }: Pick<Enrolment, 'LoginID' | 'EnrollID'>) {
  const { $api } = useApi();
  const params = { path: { LoginID, EnrollID }, query: { Limit: 200 } };
  return $api.useQuery('get', '/enrolment/{LoginID}/{EnrollID}/attempt', { params });
}

/** Every attempt with its result. Hidden if there is only one and the course allows no others. */
export function Attempts({ enrolment }: { enrolment: Enrolment }) {
  const t = useTranslations('enrolments.attempts');
  const { data, error, refetch } = useAttempts(enrolment);
  const { Attempts: rules, AttemptsUsed: used } = enrolment;
  if (rules === null && enrolment.Attempt === 1) return null;
  const limit = rules?.Limit ?? null;
  return (
    <Paper withBorder p="lg" component="section" className="part">
      <Stack>
        <Group justify="space-between" align="baseline">
          <Title order={2} size="h4">
            {t('title')}
          </Title>
          <Text size="sm" c="dimmed">
            {limit === null ? t('usedUnlimited', { used }) : t('used', { used, limit })}
            {rules && ` · ${t(`counts.${rules.Counts}`)}`}
          </Text>
        </Group>
        {error && !data ? <Failed error={error} onRetry={refetch} /> : null}
        {data ? <Rows attempts={data.Items} /> : !error && <WaitingRows />}
      </Stack>
    </Paper>
  );
}

function Rows({ attempts }: { attempts: readonly Attempt[] }) {
  const t = useTranslations('enrolments.attempts');
  return (
    <Table.ScrollContainer minWidth={560} tabIndex={0} role="region" aria-label={t('title')}>
      <Table verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('title')}</Table.Th>
            <Table.Th>{t('result')}</Table.Th>
            <Table.Th>{t('started')}</Table.Th>
            <Table.Th>{t('finished')}</Table.Th>
            <Table.Th ta="end">{t('launches')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {attempts.map((attempt) => (
            <Row key={attempt.Attempt} attempt={attempt} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function Row({ attempt }: { attempt: Attempt }) {
  const t = useTranslations('enrolments.attempts');
  const text = useResultText();
  const { Success, Completion, Score, EndedAt, Discarded, Reason } = attempt;
  const result = Success === 'unknown' ? text('Completion', Completion) : text('Success', Success);
  return (
    <Table.Tr>
      <Table.Td>
        <Stack gap={2} align="flex-start">
          <Text size="sm" fw={500}>
            {t('number', { number: attempt.Attempt })}
          </Text>
          {EndedAt === null && <Badge variant="light">{t('current')}</Badge>}
          {Discarded && (
            <Badge variant="light" color="gray">
              {t('discarded')}
            </Badge>
          )}
          {Reason && (
            <Text size="xs" c="dimmed" className="break">
              {t('reason', { reason: Reason })}
            </Text>
          )}
        </Stack>
      </Table.Td>
      <Table.Td>{Score === null ? result : `${result}, ${text('Score', Score)}`}</Table.Td>
      <Table.Td>
        <Instant at={attempt.StartedAt} none={t('notStarted')} />
      </Table.Td>
      <Table.Td>
        <Instant at={attempt.FinishedAt} none={t('open')} />
      </Table.Td>
      <Table.Td ta="end">{attempt.Launches}</Table.Td>
    </Table.Tr>
  );
}
