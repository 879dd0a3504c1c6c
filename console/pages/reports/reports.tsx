import './reports.css';
import { useTranslations } from 'use-intl';
import type { ReportColumn } from '../../parts/report-table.tsx';
import { Bar } from './bar.tsx';
import { figures, type Line } from './figures.ts';
import {
  countColumn,
  type LineReport,
  LineReportPage,
  useLineReport,
  usePlaceColumns,
} from './line-report.tsx';
import { Summary } from './summary.tsx';

function useColumns(report: LineReport): ReportColumn<Line>[] {
  const t = useTranslations('reports');
  return [
    ...usePlaceColumns(report),
    {
      key: 'rate',
      header: t('completionRate'),
      value: ({ CompletionRate }) => CompletionRate,
      cell: (line) => <Bar line={line} />,
    },
    countColumn(report, t('enrolments'), { key: 'enrolments', count: (line) => line.Enrolments }),
    ...figures.map(({ figure, status }) =>
      countColumn<Line>(report, t(`figures.${figure}`), {
        key: figure,
        count: (line) => line[figure],
        filter: () => ({ status }),
      }),
    ),
  ];
}

/** Completion by course and group, now or at the end of a past day. */
export default function Reports() {
  const report = useLineReport();
  const { totalScope, today } = report;
  const columns = useColumns(report);
  return (
    <LineReportPage
      report={report}
      name="completion"
      columns={columns}
      summary={(total) => <Summary line={total} scope={totalScope} today={today} />}
    />
  );
}
