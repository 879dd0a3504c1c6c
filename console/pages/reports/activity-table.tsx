import { Paper } from '@mantine/core';
import { useTranslations } from 'use-intl';
import { NumberTable } from '../../parts/number-table.tsx';
import { usePeriodText } from '../home/use-point-text.ts';
import { measures, type Period, pointOf, totalOf } from './activity-figures.ts';

/** All figures of the report, latest period first. */
export function ActivityTable({ periods }: { periods: readonly Period[] }) {
  const t = useTranslations('reports.activity');
  const textOf = usePeriodText();
  const rows = periods.toReversed().map((period) => ({
    key: period.From,
    header: textOf(pointOf(period)),
    values: measures.map((measure) => period[measure]),
  }));
  const values = measures.map((measure) => totalOf(periods, measure));
  return (
    <Paper withBorder className="report-lines">
      <NumberTable
        label={t('table')}
        headers={[t('period'), ...measures.map((measure) => t(`measures.${measure}`))]}
        rows={rows}
        total={{ key: 'total', header: t('total'), values }}
        className="activity-table"
      />
    </Paper>
  );
}
