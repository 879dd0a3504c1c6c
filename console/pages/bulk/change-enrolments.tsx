import { NumberInput, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { Page } from '../../parts/page.tsx';
import { localDate } from '../enrolments/local-date.ts';
import { ChangeRun } from './change-run.tsx';
import { type Extension, enrolmentCalls, extendedEnd, type Planned } from './enrolment-calls.ts';
import { NothingSelected } from './nothing-selected.tsx';
import { type EnrolmentIds, useSelected } from './selected.ts';

const list = '/console/enrolments';

/** Extends or withdraws the enrolments selected in their list. */
export default function ChangeEnrolments() {
  const t = useTranslations('bulk.selection');
  const shell = useTranslations('shell');
  const selected = useSelected();
  const isKnown = selected?.of === 'extend' || selected?.of === 'withdraw';
  const change = isKnown ? selected.of : 'extend';
  const rows = isKnown ? selected.enrolments : [];
  const Form = change === 'extend' ? Extend : Withdraw;
  return (
    <Page
      title={t(`${change}.title`, { count: rows.length })}
      text={t(`${change}.text`)}
      back={{ to: list, text: shell('pages.enrolments') }}
    >
      {rows.length === 0 ? <NothingSelected /> : <Form key={selected?.id} rows={rows} />}
    </Page>
  );
}

type FormProps = { rows: readonly EnrolmentIds[] };

function Withdraw({ rows }: FormProps) {
  const t = useTranslations('bulk.selection.withdraw');
  const api = useApi();
  const planOf = ({ Status }: { Status: string }) => (Status === 'withdrawn' ? null : { Withdrawn: true });
  return (
    <ChangeRun change="withdraw" rows={rows} list={list} callsOf={() => enrolmentCalls(api, planOf)}>
      <Text size="sm">{t('effect')}</Text>
    </ChangeRun>
  );
}

const usualDays = 30;
const maxDays = 3650;

function Extend({ rows }: FormProps) {
  const t = useTranslations('bulk.selection');
  const end = useTranslations('enrolments.end');
  const api = useApi();
  const [by, setBy] = useState<'days' | 'day'>('days');
  const [days, setDays] = useState<number | string>(usualDays);
  const [day, setDay] = useState(() => localDate(new Date(Date.now() + usualDays * 86_400_000)));
  const callsOf = () => {
    const extension: Extension =
      by === 'days' ? { days: Number(days) } : { until: new Date(`${day}T23:59:59`).toISOString() };
    const now = new Date();
    return enrolmentCalls(api, ({ Status, ExpiresAt }): Planned => {
      if (Status === 'withdrawn') return { code: 'withdrawn', detail: t('advice.withdrawn') };
      const wanted = extendedEnd(ExpiresAt, extension, now);
      return wanted === null ? null : { ExpiresAt: wanted };
    });
  };
  return (
    <ChangeRun change="extend" rows={rows} list={list} callsOf={callsOf}>
      <Radio.Group
        label={t('extend.by')}
        value={by}
        onChange={(value) => setBy(value === 'day' ? 'day' : 'days')}
      >
        <Stack gap="sm" mt="xs">
          <Radio value="days" label={t('extend.byDays')} description={t('extend.byDaysText')} />
          <Radio value="day" label={t('extend.untilDay')} description={t('extend.untilDayText')} />
        </Stack>
      </Radio.Group>
      {by === 'days' ? (
        <NumberInput
          label={t('extend.days')}
          min={1}
          max={maxDays}
          allowDecimal={false}
          required
          value={days}
          onChange={setDays}
          maw={200}
        />
      ) : (
        <TextInput
          type="date"
          label={end('day')}
          description={end('dayText')}
          required
          value={day}
          onChange={(event) => setDay(event.currentTarget.value)}
          maw={260}
        />
      )}
    </ChangeRun>
  );
}
