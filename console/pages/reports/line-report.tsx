import { Stack, Text, TextInput } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { DownloadButton, withQuery } from '../../parts/download.tsx';
import { FilterBar, SelectFilter, useFilters } from '../../parts/filters.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { Message, NoneFound } from '../../parts/states.tsx';
import { CoursePicker } from '../enrolments/pickers.tsx';
import { GroupFilter } from '../users/group.tsx';
import { Count } from './count.tsx';
import { type Filter, isKind, type Kind, keyOf, kinds, type Place, scopeOf } from './figures.ts';
import { useToday } from './use-today.ts';

const names = ['by', 'course', 'group', 'day'] as const;

/** The day if it is valid and past. For today, the latest figures are shown. */
function pastDay(text: string | undefined, today: string): string | undefined {
  const isDay = text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text));
  return isDay && text < today ? text : undefined;
}

/** The filters of a report with a line for each course, group, or pair of both. */
export function useLineReport() {
  const [filters, change] = useFilters(names);
  const kind: Kind = isKind(filters.by) ? filters.by : 'course';
  const today = useToday();
  const day = pastDay(filters.day, today);
  const { course, group } = filters;
  const asked = {
    ...(course ? { CourseID: course } : {}),
    ...(group ? { GroupName: group } : {}),
    ...(day ? { AsOf: day } : {}),
  };
  return {
    ...{ filters, change, kind, today, day },
    query: { By: kind, ...asked },
    totalQuery: { By: 'total' as const, ...asked },
    scopeOf: (line: Place) => scopeOf(line, { kind, course, group, day }),
    totalScope: day ? null : { course, group },
    isFiltered: Object.keys(asked).length > 0,
    clear: () => change({ course: undefined, group: undefined, day: undefined }),
  };
}

export type LineReport = ReturnType<typeof useLineReport>;

function LineFilters({ report }: { report: LineReport }) {
  const t = useTranslations('reports');
  const { filters, change, kind, today, isFiltered, clear } = report;
  return (
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
  );
}

const texts = {
  completion: { past: 'past', none: 'noneText' },
  access: { past: 'access.past', none: 'access.noneText' },
} as const;

type LineReportPage<Line> = {
  report: LineReport;
  name: keyof typeof texts;
  columns: Column<Line>[];
  list: ComponentProps<typeof List<Line>>['query'];
  /** The totals of all lines. */
  children: ReactNode;
};

/** A page with the tabs of all reports, the export, the filters and the lines. */
export function LineReportPage<Line extends Place>(props: LineReportPage<Line>) {
  const { report, name, columns, list, children } = props;
  const t = useTranslations('reports');
  const shell = useTranslations('shell');
  const { day, query } = report;
  return (
    <Page
      title={shell('pages.reports')}
      actions={
        <DownloadButton
          path={withQuery(`/report/${name}`, query)}
          accept="text/csv"
          name={day ? `${name}-${day}.csv` : `${name}.csv`}
          text={t('csv')}
        />
      }
    >
      <LineFilters report={report} />
      <Stack gap="sm">
        <PastDay day={day} text={texts[name].past} />
        {children}
        <div className="report-lines">
          <List
            label={shell('pages.reports')}
            query={list}
            columns={columns}
            rowKey={keyOf}
            empty={<NoLines report={report} text={t(texts[name].none)} />}
          />
        </div>
      </Stack>
    </Page>
  );
}

/** Which figures a past day shows. */
function PastDay({ day, text }: { day: string | undefined; text: 'past' | 'access.past' }) {
  const t = useTranslations('reports');
  const format = useFormatter();
  if (day === undefined) return null;
  return (
    <Text size="sm" c="dimmed">
      {t(text, { day: format.dateTime(new Date(day), { dateStyle: 'long', timeZone: 'UTC' }) })}
    </Text>
  );
}

/** Shown instead of an empty table. */
function NoLines({ report, text }: { report: LineReport; text: string }) {
  const t = useTranslations('reports');
  if (!report.isFiltered) return <Message title={t('none')} text={text} />;
  return <NoneFound title={t('noneFound')} text={t('noneFoundText')} onShowAll={report.clear} />;
}

/** The columns that say what a line covers. */
export function usePlaceColumns({ kind }: LineReport): Column<Place>[] {
  const t = useTranslations('reports');
  const course: Column<Place> = {
    key: 'course',
    header: t('course'),
    share: 24,
    cell: ({ CourseTitle, CourseID }) => <span className="break">{CourseTitle ?? CourseID}</span>,
  };
  const group: Column<Place> = {
    key: 'group',
    header: t('group'),
    share: 20,
    cell: ({ GroupName }) => <span className="break">{GroupName ?? t('noGroup')}</span>,
  };
  return [...(kind === 'group' ? [] : [course]), ...(kind === 'course' ? [] : [group])];
}

/** A column of figures, with links to the enrolments behind them. */
export const countColumn = <Line extends Place>(
  { scopeOf }: LineReport,
  header: string,
  of: { key: string; count: (line: Line) => number | null; filter?: (line: Line) => Filter },
): Column<Line> => ({
  key: of.key,
  header,
  align: 'end',
  cell: (line) => (
    <Count count={of.count(line)} scope={scopeOf(line)} filter={of.filter?.(line) ?? {}} label={header} />
  ),
});
