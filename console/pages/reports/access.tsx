import './reports.css';
import { useTranslations } from 'use-intl';
import type { ReportColumn } from '../../parts/report-table.tsx';
import { AccessBar } from './access-bar.tsx';
import { type AccessLine, filterOf, measures } from './access-figures.ts';
import { AccessSummary } from './access-summary.tsx';
import {
  countColumn,
  type LineReport,
  LineReportPage,
  useLineReport,
  usePlaceColumns,
} from './line-report.tsx';

function useColumns(report: LineReport): ReportColumn<AccessLine>[] {
  const t = useTranslations('reports.access');
  return [
    ...usePlaceColumns(report),
    { key: 'bar', header: t('uncompleted'), cell: (line) => <AccessBar line={line} /> },
    ...measures.map((measure) =>
      countColumn<AccessLine>(report, t(`measures.${measure}`), {
        key: measure,
        count: (line) => line[measure],
        filter: (line) => filterOf(measure, line),
      }),
    ),
  ];
}

/** Overdue enrolments and access that ends soon, by course and group. */
export default function AccessReport() {
  const report = useLineReport();
  const columns = useColumns(report);
  return (
    <LineReportPage
      report={report}
      name="access"
      columns={columns}
      summary={(total) => <AccessSummary line={total} scope={report.totalScope} />}
    />
  );
}
