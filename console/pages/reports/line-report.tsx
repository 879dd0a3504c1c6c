import { Stack, Text, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { DownloadButton, withQuery } from '../../parts/download.tsx';
import { fieldsOf, queryOf } from '../../parts/filtered-list.tsx';
import { FilterBar, SelectFilter, useFilters } from '../../parts/filters.tsx';
import { Page } from '../../parts/page.tsx';
import { PrintButton, type ReportColumn, ReportTable, useReportLines } from '../../parts/report-table.tsx';
import { Message, NoneFound } from '../../parts/states.tsx';
import { CoursePicker } from '../enrolments/pickers.tsx';
import { usePeopleFilters } from '../users/people-filters.tsx';
import { Count } from './count.tsx';
import { type Filter, isKind, type Kind, keyOf, kinds, type Place, scopeOf } from './figures.ts';
import { useToday } from './use-today.ts';

const names = ['by', 'course', 'group', 'manager', 'attribute', 'day'] as const;

const noFilters = {
  ...{ course: undefined, group: undefined, manager: undefined, attribute: undefined },
  day: undefined,
};

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
  const people = usePeopleFilters();
  const { course, group, manager, attribute } = filters;
  // The managers and attributes of a past day are not known.
  const isOfSome = manager !== undefined || Boolean(attribute);
  const day = isOfSome ? undefined : pastDay(filters.day, today);
  const asked = {
    ...(course ? { CourseID: course } : {}),
    ...queryOf(people, filters),
    ...(day ? { AsOf: day } : {}),
  };
  return {
    ...{ filters, change, people, isOfSome, kind, today, day },
    query: { By: kind, ...asked },
    totalQuery: { By: 'total' as const, ...asked },
    scopeOf: (line: Place) => scopeOf(line, { kind, course, group, manager, attribute, day }),
    totalScope: day ? null : { course, group, manager, attribute },
    isFiltered: Object.keys(asked).length > 0,
    clear: () => change(noFilters),
  };
}

export type LineReport = ReturnType<typeof useLineReport>;

function LineFilters({ report }: { report: LineReport }) {
  const t = useTranslations('reports');
  const { filters, change, kind, people, isOfSome, today, isFiltered, clear } = report;
  const { by: _, ...set } = filters;
  return (
    <FilterBar count={Object.keys(set).length} onClear={isFiltered ? clear : undefined}>
      <SelectFilter
        label={t('by')}
        value={kind}
        onChange={(by) => change({ by: by === 'course' ? undefined : by })}
        options={kinds.map((value) => ({ value, label: t(`kinds.${value}`) }))}
        isRequired
      />
      <CoursePicker value={filters.course} onChange={(course) => change({ course })} className="filter" />
      {fieldsOf(people, filters, change)}
      {!isOfSome && (
        <TextInput
          type="date"
          label={t('asOf')}
          max={today}
          value={filters.day ?? ''}
          onChange={(event) => change({ day: event.currentTarget.value || undefined })}
          className="filter"
        />
      )}
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
  columns: ReportColumn<Line>[];
  /** Shows the totals of all lines as a headline. */
  summary: (total: Line) => ReactNode;
};

/** A page with the tabs of all reports, the export, the filters and the lines. */
export function LineReportPage<Line extends Place>(props: LineReportPage<Line>) {
  const { report, name, columns, summary } = props;
  const t = useTranslations('reports');
  const list = useTranslations('list');
  const shell = useTranslations('shell');
  const { day, query, totalQuery } = report;
  const path = `/report/${name}`;
  const lines = useReportLines<Line>(path, query);
  const total = useReportLines<Line>(path, totalQuery).data?.lines[0];
  return (
    <Page
      title={shell('pages.reports')}
      actions={
        <>
          <PrintButton />
          <DownloadButton
            path={withQuery(path, query)}
            accept="text/csv"
            name={day ? `${name}-${day}.csv` : `${name}.csv`}
            text={list('csv')}
          />
        </>
      }
    >
      <LineFilters report={report} />
      <Stack gap="sm">
        <PastDay day={day} text={texts[name].past} />
        {total && summary(total)}
        <div className="report-lines">
          <ReportTable
            label={shell('pages.reports')}
            lines={lines}
            columns={columns}
            rowKey={keyOf}
            total={total}
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
export function usePlaceColumns({ kind }: LineReport): ReportColumn<Place>[] {
  const t = useTranslations('reports');
  const course: ReportColumn<Place> = {
    key: 'course',
    header: t('course'),
    share: 24,
    value: ({ CourseTitle, CourseID }) => CourseTitle ?? CourseID,
    cell: ({ CourseTitle, CourseID }) => <span className="break">{CourseTitle ?? CourseID}</span>,
  };
  const group: ReportColumn<Place> = {
    key: 'group',
    header: t('group'),
    share: 20,
    value: ({ GroupName }) => GroupName,
    cell: ({ GroupName }) => <span className="break">{GroupName ?? t('noGroup')}</span>,
  };
  return [...(kind === 'group' ? [] : [course]), ...(kind === 'course' ? [] : [group])];
}

/** A column of figures, with links to the enrolments behind them. */
export const countColumn = <Line extends Place>(
  { scopeOf }: LineReport,
  header: string,
  of: { key: string; count: (line: Line) => number | null; filter?: (line: Line) => Filter },
): ReportColumn<Line> => ({
  key: of.key,
  header,
  align: 'end',
  value: of.count,
  cell: (line) => (
    <Count count={of.count(line)} scope={scopeOf(line)} filter={of.filter?.(line) ?? {}} label={header} />
  ),
});
