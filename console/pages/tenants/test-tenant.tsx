import { Button, Group, NativeSelect, Select, Stack, Text } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { dataOf } from '../../api/data.ts';
import { nameOf } from '../../api/session.tsx';
import { useAction } from '../../parts/action.tsx';
import { choiceOf } from '../../parts/choices.ts';
import { Section } from '../../parts/section.tsx';
import { FailedAction, Unready } from '../../parts/states.tsx';
import { notify } from '../../parts/toast.tsx';
import { Instant, LabelledValue, LabelledValues } from '../../parts/values.tsx';
import { naming } from '../api-keys/naming.ts';

const steps = [1, 7, 30];
const results = ['passed', 'failed', 'completed', 'incomplete'] as const;

/** The time of a test tenant, and a robot that plays its courses. */
export function TestTenant({ tenantId }: { tenantId: string }) {
  const t = useTranslations('tenants.test');
  const { $api } = useApi();
  const queries = useQueryClient();
  const params = naming(tenantId);
  const clock = $api.useQuery('get', '/test/clock', { params });
  const move = $api.useMutation('post', '/test/clock');
  const moving = useAction(async (days: number) => {
    await move.mutateAsync({ params, body: { Advance: `P${days}D` } });
    await queries.invalidateQueries();
    notify(t('moved'));
  });
  return (
    <Section title={t('title')} text={t('text')}>
      {clock.data ? (
        <Group>
          <LabelledValues>
            <LabelledValue label={t('now')}>
              <Instant at={clock.data.Now} />
            </LabelledValue>
          </LabelledValues>
          {steps.map((days) => (
            <Button
              key={days}
              variant="default"
              disabled={moving.isRunning}
              onClick={() => void moving.run(days)}
            >
              {t('forward', { count: days })}
            </Button>
          ))}
        </Group>
      ) : (
        <Unready query={clock} rows={1} />
      )}
      <FailedAction error={moving.error} />
      <Robot tenantId={tenantId} />
    </Section>
  );
}

function Robot({ tenantId }: { tenantId: string }) {
  const t = useTranslations('tenants.test');
  const { $api, client } = useApi();
  const queries = useQueryClient();
  const [enrollId, setEnrollId] = useState<string | null>(null);
  const [result, setResult] = useState<(typeof results)[number]>('passed');
  const tenant = naming(tenantId);
  const recent = { params: { ...tenant, query: { Order: 'newest', Limit: 50 } } } as const;
  const enrolments = $api.useQuery('get', '/enrolment', recent);
  const chosen = enrolments.data?.Items.find(({ EnrollID }) => EnrollID === enrollId);
  const playing = useAction(async () => {
    if (!chosen) return;
    const params = { ...tenant, path: { EnrollID: chosen.EnrollID } };
    await dataOf(client.POST('/test/play/{EnrollID}', { params, body: { Status: result } }));
    await queries.invalidateQueries();
    notify(t('played', { name: nameOf(chosen), course: chosen.CourseTitle }));
  });
  if (!enrolments.data) return <Unready query={enrolments} rows={1} />;
  if (enrolments.data.Items.length === 0) return <Text size="sm">{t('none')}</Text>;
  return (
    <Stack gap="sm">
      <Group align="flex-end">
        <Select
          label={t('enrolment')}
          searchable
          value={enrollId}
          onChange={setEnrollId}
          data={enrolments.data.Items.map((one) => ({
            value: one.EnrollID,
            label: `${nameOf(one)}: ${one.CourseTitle}`,
          }))}
          miw={280}
        />
        <NativeSelect
          label={t('result')}
          value={result}
          onChange={({ currentTarget: { value } }) => setResult(choiceOf(results, value) ?? result)}
          data={results.map((value) => ({ value, label: t(`results.${value}`) }))}
        />
        <Button disabled={!chosen} loading={playing.isRunning} onClick={() => void playing.run()}>
          {t('play')}
        </Button>
        {!chosen && (
          <Text size="sm" c="dimmed">
            {t('missing')}
          </Text>
        )}
      </Group>
      <FailedAction error={playing.error} />
    </Stack>
  );
}
