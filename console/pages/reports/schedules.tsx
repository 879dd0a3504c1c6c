import './reports.css';
import { Badge, Button, Text } from '@mantine/core';
import { IconCalendarRepeat, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { paged } from '../../parts/paged.ts';
import { Message } from '../../parts/states.tsx';
import { Instant, Note } from '../../parts/values.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';
import type { Schedule } from './schedule-form.ts';
import { ScheduleMenu } from './schedule-menu.tsx';
import { useWhen } from './schedule-words.ts';

function LastRun({ schedule: { LastRunAt, LastProblem } }: { schedule: Schedule }) {
  const t = useTranslations('reports.schedules');
  if (LastRunAt === null)
    return (
      <Text size="sm" c="dimmed" span>
        {t('never')}
      </Text>
    );
  return (
    <>
      <Badge color={LastProblem ? 'red' : 'green'} miw="max-content">
        {t(LastProblem ? 'failed' : 'succeeded')}
      </Badge>
      <Note>{LastProblem ? t(`problems.${LastProblem}`) : <Instant at={LastRunAt} isDay />}</Note>
    </>
  );
}

function useColumns(): Column<Schedule>[] {
  const t = useTranslations('reports.schedules');
  const when = useWhen();
  return [
    {
      key: 'name',
      header: t('report'),
      share: 31,
      cell: ({ Name, Report }) => (
        <>
          {Name}
          <Note>{t(`reports.${Report}`)}</Note>
        </>
      ),
    },
    {
      key: 'when',
      header: t('when'),
      share: 36,
      cell: (schedule) => (
        <>
          {when(schedule)}
          <Note>{schedule.TimeZone}</Note>
        </>
      ),
    },
    {
      key: 'delivery',
      onPhone: 'hidden',
      header: t('delivery'),
      share: 17,
      cell: ({ Delivery, Recipients }) => (
        <>
          {t(`deliveries.${Delivery}`)}
          {Delivery === 'email' && <Note>{t('toCount', { count: Recipients.length })}</Note>}
        </>
      ),
    },
    {
      key: 'next',
      header: t('next'),
      cell: ({ NextRunAt, Status }) => (
        <>
          {Status === 'paused' && <Badge color="gray">{t('paused')}</Badge>}{' '}
          {(NextRunAt !== null || Status === 'active') && <Instant at={NextRunAt} />}
        </>
      ),
    },
    { key: 'last', header: t('last'), share: 16, cell: (schedule) => <LastRun schedule={schedule} /> },
    {
      key: 'actions',
      header: t('actions'),
      cell: (schedule) => <ScheduleMenu schedule={schedule} />,
      isActions: true,
    },
  ];
}

/** Reports that are sent regularly. */
export default function Schedules() {
  const t = useTranslations('reports.schedules');
  const shell = useTranslations('shell');
  const { $api } = useApi();
  const [isOpen, setOpen] = useState(false);
  const columns = useColumns();
  const params = { query: { Limit: 50 } };
  const list = $api.useInfiniteQuery(
    'get',
    '/report/schedule',
    { params },
    { ...paged, refetchInterval: 10_000 },
  );
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen(true)}>
      {t('add')}
    </Button>
  );
  const isEmpty = list.data?.pages[0]?.Items.length === 0;
  return (
    <Page title={shell('pages.reports')} text={t('text')} actions={isEmpty ? null : add}>
      <List
        label={shell('pages.reports')}
        query={list}
        columns={columns}
        rowKey={({ ScheduleID }) => ScheduleID}
        empty={
          <Message
            icon={<IconCalendarRepeat size={36} stroke={1.5} aria-hidden />}
            title={t('none')}
            text={t('noneText')}
          >
            {add}
          </Message>
        }
      />
      <ScheduleDialog schedule={null} isOpen={isOpen} onClose={() => setOpen(false)} />
    </Page>
  );
}
