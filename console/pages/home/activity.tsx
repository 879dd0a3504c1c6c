import {
  Anchor,
  Button,
  Group,
  Paper,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  Title,
} from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { lazy, Suspense, useId, useState } from 'react';
import { useFormatter, useTranslations } from 'use-intl';
import { useFilters } from '../../parts/filters.tsx';
import { NumberTable } from '../../parts/number-table.tsx';
import { Failed, WaitingRows } from '../../parts/states.tsx';
import { changeOf, measures, type Point, pointsOf, type Span, spans, type Total, totalsOf } from './spans.ts';
import { useOverview } from './use-overview.ts';
import { usePeriodText } from './use-point-text.ts';

const Chart = lazy(() => import('./chart.tsx'));

/** Activity in the period given in the URL, by default a month. */
export function Activity() {
  const t = useTranslations('home');
  const [filters, change] = useFilters(['days']);
  const span = spans.find((days) => String(days) === filters.days) ?? spans[0];
  const asked = useOverview(span);
  const [isTable, setTable] = useState(false);
  return (
    <Stack component="section" aria-label={t('activity')} gap="md">
      <Group justify="space-between">
        <Title order={2} size="h4">
          {t('activity')}
        </Title>
        <SegmentedControl
          aria-label={t('span')}
          value={String(span)}
          onChange={(days) => change({ days: days === String(spans[0]) ? undefined : days })}
          data={spans.map((days) => ({ value: String(days), label: t('days', { count: days }) }))}
        />
      </Group>
      {asked.isPending ? (
        <WaitingRows />
      ) : asked.data ? (
        <Shown
          totals={totalsOf(asked.data.Days, span)}
          points={pointsOf(asked.data.Days, span)}
          span={span}
          isTable={isTable}
          onTable={setTable}
        />
      ) : (
        <Failed error={asked.error} onRetry={() => asked.refetch()} />
      )}
    </Stack>
  );
}

type ShownProps = {
  totals: readonly Total[];
  points: readonly Point[];
  span: Span;
  isTable: boolean;
  onTable: (isTable: boolean) => void;
};

function Shown({ totals, points, span, isTable, onTable }: ShownProps) {
  const t = useTranslations('home');
  const caption = useId();
  const table = useId();
  const label = t('chartTitle', { count: span });
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing={{ base: 'xs', xs: 'md' }}>
        {totals.map((total) => (
          <TotalTile key={total.measure} total={total} span={span} />
        ))}
      </SimpleGrid>
      <Paper withBorder p="md" component="figure" m={0} aria-labelledby={caption}>
        <Group justify="space-between" component="figcaption" mb="xs" wrap="nowrap" align="flex-start">
          <Text size="sm" c="dimmed" id={caption}>
            {label}
          </Text>
          <Button
            variant="subtle"
            size="compact-sm"
            flex="none"
            aria-expanded={isTable}
            aria-controls={table}
            onClick={() => onTable(!isTable)}
          >
            {t(isTable ? 'asChart' : 'asTable')}
          </Button>
        </Group>
        <div id={table}>
          {isTable ? (
            <Numbers points={points} label={label} />
          ) : (
            <Suspense fallback={<WaitingRows />}>
              <Chart points={points} label={label} />
            </Suspense>
          )}
        </div>
      </Paper>
    </>
  );
}

function TotalTile({ total, span }: { total: Total; span: Span }) {
  const t = useTranslations('home');
  const shell = useTranslations('shell');
  const format = useFormatter();
  const change = changeOf(total);
  const percent = change === null ? '' : format.number(Math.abs(change), { style: 'percent' });
  const direction =
    total.before === null
      ? 'unknown'
      : change === null
        ? 'none'
        : change > 0
          ? 'more'
          : change < 0
            ? 'less'
            : 'same';
  return (
    <Paper withBorder p="md" className="total">
      <Group gap="xs" wrap="nowrap">
        <svg className="chart sample" width={22} height={10} aria-hidden>
          <path className={`line ${total.measure.toLowerCase()}`} d="M0,5L22,5" />
        </svg>
        <Text size="sm" c="dimmed">
          {t(`measures.${total.measure}`)}
        </Text>
      </Group>
      <Text fz={28} fw={650} lh={1.3} className="number">
        {format.number(total.now)}
      </Text>
      <Text size="xs" c="dimmed" className="change">
        {t(`change.${direction}`, { percent, count: span })}
      </Text>
      {total.measure === 'Completions' && (
        <Anchor size="sm" renderRoot={(props) => <Link to="/console/certificates" {...props} />}>
          {shell('pages.certificates')}
        </Anchor>
      )}
    </Paper>
  );
}

function Numbers({ points, label }: { points: readonly Point[]; label: string }) {
  const t = useTranslations('home');
  const period = usePeriodText();
  return (
    <NumberTable
      label={label}
      headers={[t('period'), ...measures.map((measure) => t(`measures.${measure}`))]}
      rows={points.toReversed().map((point) => ({
        key: point.Day,
        header: period(point),
        values: measures.map((measure) => point[measure]),
      }))}
    />
  );
}
