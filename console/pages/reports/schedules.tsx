import './reports.css';
import { Badge, Button, Stack, Text } from '@mantine/core';
import { IconCalendarRepeat, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { paged } from '../../parts/paged.ts';
import { Message } from '../../parts/states.tsx';
import { Instant } from '../../parts/values.tsx';
import { ReportTabs } from './report-tabs.tsx';
import { ScheduleDialog } from './schedule-dialog.tsx';
import type { Schedule } from './schedule-form.ts';
import { ScheduleMenu } from './schedule-menu.tsx';
import { useWhen } from './schedule-words.ts';

/** A value, and a note in smaller text. */
function WithNote({ children, note }: { children: React.ReactNode; note: React.ReactNode }) {
  return (
    <Stack gap={2} align="flex-start" className="with-note">
      <div className="break">{children}</div>
      <Text size="sm" c="dimmed" fw={400} className="break" component="div">
        {note}
      </Text>
    </Stack>
  );
}

function LastRun({ schedule: { LastRunAt, LastProblem } }: { schedule: Schedule }) {
  const t = useTranslations('reports.schedules');
  if (LastRunAt === null)
    return (
      <Text size="sm" c="dimmed">
        {t('never')}
      </Text>
    );
  return (
    <WithNote note={LastProblem ? t(`problems.${LastProblem}`) : <Instant at={LastRunAt} />}>
      <Badge color={LastProblem ? 'red' : 'green'} miw="max-content">
        {t(LastProblem ? 'failed' : 'succeeded')}
      </Badge>
    </WithNote>
  );
}

function useColumns(): Column<Schedule>[] {
  const t = useTranslations('reports.schedules');
  const when = useWhen();
  return [
    {
      key: 'name',
      header: t('report'),
      cell: ({ Name, Report }) => <WithNote note={t(`reports.${Report}`)}>{Name}</WithNote>,
    },
    {
      key: 'when',
      header: t('when'),
      cell: (schedule) => <WithNote note={schedule.TimeZone}>{when(schedule)}</WithNote>,
    },
    {
      key: 'delivery',
      header: t('delivery'),
      cell: ({ Delivery, Recipients }) => (
        <WithNote
          note={Delivery === 'email' ? t('toCount', { count: Recipients.length }) : <code>report.ready</code>}
        >
          {t(`deliveries.${Delivery}`)}
        </WithNote>
      ),
    },
    {
      key: 'next',
      header: t('next'),
      cell: ({ NextRunAt, Status }) => (
        <Stack gap={2} align="flex-start">
          {Status === 'paused' && <Badge color="gray">{t('paused')}</Badge>}
          {(NextRunAt !== null || Status === 'active') && <Instant at={NextRunAt} />}
        </Stack>
      ),
    },
    { key: 'last', header: t('last'), cell: (schedule) => <LastRun schedule={schedule} /> },
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
      <ReportTabs />
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
