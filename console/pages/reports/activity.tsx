import '../home/home.css';
import './reports.css';
import { Paper, Stack, TextInput } from '@mantine/core';
import { lazy, Suspense, useEffect } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { choiceOf } from '../../parts/choices.ts';
import { DownloadButton, withQuery } from '../../parts/download.tsx';
import { fieldsOf, queryOf } from '../../parts/filtered-list.tsx';
import { FilterBar, SelectFilter, useFilters } from '../../parts/filters.tsx';
import { Page } from '../../parts/page.tsx';
import { paged } from '../../parts/paged.ts';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { CoursePicker } from '../enrolments/pickers.tsx';
import { dateOfDay } from '../home/use-point-text.ts';
import { usePeopleFilters } from '../users/people-filters.tsx';
import { inChart, measures, type Period, pointOf, rangeOf, totalOf, units } from './activity-figures.ts';
import { ActivityTable } from './activity-table.tsx';
import { useToday } from './use-today.ts';

const Chart = lazy(() => import('../home/chart.tsx'));

const names = ['unit', 'course', 'group', 'manager', 'attribute', 'from', 'to'] as const;

/** What happened in each day, week or month, as a chart, a table and a file. */
export default function ActivityReport() {
  const t = useTranslations('reports');
  const list = useTranslations('list');
  const shell = useTranslations('shell');
  const [filters, change] = useFilters(names);
  const unit = choiceOf(units, filters.unit) ?? 'day';
  const range = rangeOf(filters, unit, useToday());
  const people = usePeopleFilters();
  const query = {
    Unit: unit,
    ...range,
    ...(filters.course ? { CourseID: filters.course } : {}),
    ...queryOf(people, filters),
  };
  const { unit: _, ...others } = filters;
  const set = Object.keys(others).length;
  const { course, from, to } = filters;
  const clear = () => change(Object.fromEntries(Object.keys(others).map((name) => [name, undefined])));
  return (
    <Page
      title={shell('pages.reports')}
      text={t('activity.text')}
      actions={
        <DownloadButton
          path={withQuery('/report/activity', query)}
          accept="text/csv"
          name={`activity-${range.From}-to-${range.To}.csv`}
          text={list('csv')}
        />
      }
    >
      <FilterBar count={set} onClear={set > 0 ? clear : undefined}>
        <SelectFilter
          label={t('activity.unit')}
          value={unit}
          onChange={(unit) => change({ unit: unit === 'day' ? undefined : unit })}
          options={units.map((value) => ({ value, label: t(`activity.units.${value}`) }))}
          isRequired
        />
        <CoursePicker value={course} onChange={(course) => change({ course })} className="filter" />
        {fieldsOf(people, filters, change)}
        <TextInput
          type="date"
          label={t('activity.from')}
          max={range.To}
          value={from ?? range.From}
          onChange={(event) => change({ from: event.currentTarget.value || undefined })}
          className="filter day"
        />
        <TextInput
          type="date"
          label={t('activity.to')}
          value={to ?? range.To}
          onChange={(event) => change({ to: event.currentTarget.value || undefined })}
          className="filter day"
        />
      </FilterBar>
      <Shown query={query} />
    </Page>
  );
}

type Query = {
  Unit: (typeof units)[number];
  From: string;
  To: string;
  CourseID?: string;
};

/** All pages of the report. */
function usePeriods(query: Query) {
  const { $api } = useApi();
  const params = { query: { ...query, Limit: 200 } };
  const asked = $api.useInfiniteQuery('get', '/report/activity', { params }, paged);
  const { hasNextPage, isFetching, isError, fetchNextPage } = asked;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  const periods = asked.data?.pages.flatMap((page) => page?.Items ?? []) ?? [];
  return { ...asked, periods, isWaiting: !asked.isError && (asked.isPending || hasNextPage) };
}

function Shown({ query }: { query: Query }) {
  const { periods, isWaiting, isError, error, refetch } = usePeriods(query);
  if (isWaiting) return <WaitingRows />;
  if (isError) return <Failed error={error} onRetry={() => refetch()} />;
  return (
    <Stack gap="md">
      <Totals periods={periods} />
      <ActivityChart periods={periods} query={query} />
      <ActivityTable periods={periods} />
    </Stack>
  );
}

function Totals({ periods }: { periods: readonly Period[] }) {
  const t = useTranslations('reports');
  const format = useFormatter();
  return (
    <Paper withBorder p="md" component="section" aria-label={t('summary')} className="report-summary">
      <dl className="totals">
        {measures.map((measure) => (
          <div key={measure}>
            <dt>
              {inChart.includes(measure) && (
                <svg className="chart sample" width={22} height={10} aria-hidden>
                  <path className={`line ${measure.toLowerCase()}`} d="M0,5L22,5" />
                </svg>
              )}
              {t(`activity.measures.${measure}`)}
            </dt>
            <dd className="number">{format.number(totalOf(periods, measure))}</dd>
          </div>
        ))}
      </dl>
    </Paper>
  );
}

function ActivityChart({ periods, query }: { periods: readonly Period[]; query: Query }) {
  const t = useTranslations('reports.activity');
  const format = useFormatter();
  const date = (day: string) => format.dateTime(dateOfDay(day), { dateStyle: 'medium', timeZone: 'UTC' });
  const label = t('chart', { from: date(query.From), to: date(query.To) });
  return (
    <Paper withBorder p="md" component="figure" m={0} aria-label={label}>
      <Suspense fallback={<WaitingRows />}>
        <Chart points={periods.map(pointOf)} label={label} />
      </Suspense>
    </Paper>
  );
}
