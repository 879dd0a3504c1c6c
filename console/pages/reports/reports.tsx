import './reports.css';
import { Stack, Text, TextInput } from '@mantine/core';
import { useFormatter, useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { DownloadButton, withQuery } from '../../parts/download.tsx';
import { FilterBar, SelectFilter, useFilters } from '../../parts/filters.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { paged } from '../../parts/paged.ts';
import { Message, NoneFound } from '../../parts/states.tsx';
import { CoursePicker } from '../enrolments/pickers.tsx';
import { GroupFilter } from '../users/group.tsx';
import { Bar } from './bar.tsx';
import { Count } from './count.tsx';
import { figures, isKind, type Kind, kinds, type Line, type Scope, scopeOf } from './figures.ts';
import { ReportTabs } from './report-tabs.tsx';
import { Summary } from './summary.tsx';

const names = ['by', 'course', 'group', 'day'] as const;

function useColumns(kind: Kind, scopeOf: (line: Line) => Scope): Column<Line>[] {
  const t = useTranslations('reports');
  const course: Column<Line> = {
    key: 'course',
    header: t('course'),
    cell: ({ CourseTitle, CourseID }) => <span className="break">{CourseTitle ?? CourseID}</span>,
  };
  const group: Column<Line> = {
    key: 'group',
    header: t('group'),
    cell: ({ GroupName }) => <span className="break">{GroupName ?? t('noGroup')}</span>,
  };
  return [
    ...(kind === 'group' ? [] : [course]),
    ...(kind === 'course' ? [] : [group]),
    { key: 'rate', header: t('completionRate'), cell: (line) => <Bar line={line} /> },
    {
      key: 'enrolments',
      header: t('enrolments'),
      align: 'end',
      cell: (line) => <Count count={line.Enrolments} scope={scopeOf(line)} label={t('enrolments')} />,
    },
    ...figures.map(
      ({ figure, status }): Column<Line> => ({
        key: figure,
        header: t(`figures.${figure}`),
        align: 'end',
        cell: (line) => (
          <Count count={line[figure]} scope={scopeOf(line)} status={status} label={t(`figures.${figure}`)} />
        ),
      }),
    ),
  ];
}

/** The day if it is valid and past. For today, the latest figures are shown. */
function pastDay(text: string | undefined, today: string): string | undefined {
  const isDay = text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
  return isDay && text < today ? text : undefined;
}

/** Completion by course and group, now or at the end of a past day. */
export default function Reports() {
  const t = useTranslations('reports');
  const shell = useTranslations('shell');
  const format = useFormatter();
  const { $api } = useApi();
  const [filters, change] = useFilters(names);
  const kind = isKind(filters.by) ? filters.by : 'course';
  const today = new Date().toISOString().slice(0, 10);
  const day = pastDay(filters.day, today);
  const wanted = { kind, course: filters.course, group: filters.group, day };
  const asked = {
    ...(filters.course ? { CourseID: filters.course } : {}),
    ...(filters.group ? { GroupName: filters.group } : {}),
    ...(day ? { AsOf: day } : {}),
  };
  const query = { By: kind, ...asked };
  const list = $api.useInfiniteQuery('get', '/report/completion', { params: { query } }, paged);
  const total = $api.useQuery('get', '/report/completion', { params: { query: { By: 'total', ...asked } } });
  const [sum] = total.data?.Items ?? [];
  const columns = useColumns(kind, (line) => scopeOf(line, wanted));
  const isFiltered = Object.keys(asked).length > 0;
  const clear = () => change({ course: undefined, group: undefined, day: undefined });
  return (
    <Page
      title={shell('pages.reports')}
      text={t('text')}
      actions={
        <DownloadButton
          path={withQuery('/report/completion', query)}
          accept="text/csv"
          name={day ? `completion-${day}.csv` : 'completion.csv'}
          text={t('csv')}
        />
      }
    >
      <ReportTabs />
      <FilterBar
        count={[filters.course, filters.group, filters.day].filter(Boolean).length}
        onClear={isFiltered ? clear : undefined}
      >
        <SelectFilter
          label={t('by')}
          value={kind}
          onChange={(by) => change({ by: by === 'course' ? undefined : by })}
          options={kinds.map((value) => ({ value, label: t(`kinds.${value}`) }))}
          isRequired
        />
        <CoursePicker value={filters.course} onChange={(course) => change({ course })} className="filter" />
        <GroupFilter value={filters.group} onChange={(group) => change({ group })} />
        <TextInput
          type="date"
          label={t('asOf')}
          max={today}
          value={filters.day ?? ''}
          onChange={(event) => change({ day: event.currentTarget.value || undefined })}
          className="filter"
        />
      </FilterBar>
      <Stack gap="md">
        {day && (
          <Text size="sm" c="dimmed">
            {t('past', { day: format.dateTime(new Date(day), { dateStyle: 'long', timeZone: 'UTC' }) })}
          </Text>
        )}
        {sum && <Summary line={sum} scope={day ? null : { course: filters.course, group: filters.group }} />}
        <div className="report-lines">
          <List
            label={shell('pages.reports')}
            query={list}
            columns={columns}
            rowKey={({ CourseID, GroupName }) => JSON.stringify([CourseID, GroupName])}
            empty={
              isFiltered ? (
                <NoneFound title={t('noneFound')} text={t('noneFoundText')} onShowAll={clear} />
              ) : (
                <Message title={t('none')} text={t('noneText')} />
              )
            }
          />
        </div>
      </Stack>
    </Page>
  );
}
