import './reports.css';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import type { Column } from '../../parts/list.tsx';
import { refreshed } from '../../parts/paged.ts';
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

function useColumns(report: LineReport): Column<AccessLine>[] {
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
  const { $api } = useApi();
  const report = useLineReport();
  const { query, totalQuery, totalScope } = report;
  const list = $api.useInfiniteQuery('get', '/report/access', { params: { query } }, refreshed);
  const total = $api.useQuery(
    'get',
    '/report/access',
    { params: { query: totalQuery } },
    {
      refetchInterval: 10_000,
    },
  );
  const [sum] = total.data?.Items ?? [];
  const columns = useColumns(report);
  return (
    <LineReportPage report={report} name="access" columns={columns} list={list}>
      {sum && <AccessSummary line={sum} scope={totalScope} />}
    </LineReportPage>
  );
}
