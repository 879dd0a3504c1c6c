import './reports.css';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import type { Column } from '../../parts/list.tsx';
import { refreshed } from '../../parts/paged.ts';
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

function useColumns(report: LineReport): Column<Line>[] {
  const t = useTranslations('reports');
  return [
    ...usePlaceColumns(report),
    { key: 'rate', header: t('completionRate'), cell: (line) => <Bar line={line} /> },
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
  const { $api } = useApi();
  const report = useLineReport();
  const { query, totalQuery, totalScope, today } = report;
  const list = $api.useInfiniteQuery('get', '/report/completion', { params: { query } }, refreshed);
  const total = $api.useQuery(
    'get',
    '/report/completion',
    { params: { query: totalQuery } },
    {
      refetchInterval: 10_000,
    },
  );
  const [sum] = total.data?.Items ?? [];
  const columns = useColumns(report);
  return (
    <LineReportPage report={report} name="completion" columns={columns} list={list}>
      {sum && <Summary line={sum} scope={totalScope} today={today} />}
    </LineReportPage>
  );
}
