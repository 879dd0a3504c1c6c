import './reports.css';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { paged } from '../../parts/paged.ts';
import { AccessBar } from './access-bar.tsx';
import { type AccessLine, filterOf, measures } from './access-figures.ts';
import { AccessSummary } from './access-summary.tsx';
import { Count } from './count.tsx';
import { type Kind, keyOf, type Scope, scopeOf } from './figures.ts';
import { LineReportPage, NoLines, PastDay, useLineReport, usePlaceColumns } from './line-report.tsx';

function useColumns(kind: Kind, scopeOf: (line: AccessLine) => Scope): Column<AccessLine>[] {
  const t = useTranslations('reports.access');
  const place = usePlaceColumns(kind);
  return [
    ...place,
    { key: 'bar', header: t('uncompleted'), cell: (line) => <AccessBar line={line} /> },
    ...measures.map(
      (measure): Column<AccessLine> => ({
        key: measure,
        header: t(`measures.${measure}`),
        align: 'end',
        cell: (line) => (
          <Count
            count={line[measure]}
            scope={scopeOf(line)}
            filter={filterOf(measure, line)}
            label={t(`measures.${measure}`)}
          />
        ),
      }),
    ),
  ];
}

/** Overdue enrolments and access that ends soon, by course and group. */
export default function AccessReport() {
  const t = useTranslations('reports');
  const shell = useTranslations('shell');
  const { $api } = useApi();
  const report = useLineReport();
  const { kind, day, asked, query, wanted, filters } = report;
  const list = $api.useInfiniteQuery('get', '/report/access', { params: { query } }, paged);
  const total = $api.useQuery('get', '/report/access', { params: { query: { By: 'total', ...asked } } });
  const [sum] = total.data?.Items ?? [];
  const columns = useColumns(kind, (line) => scopeOf(line, wanted));
  return (
    <LineReportPage report={report} name="access">
      <PastDay day={day} text="access.past" />
      {sum && (
        <AccessSummary line={sum} scope={day ? null : { course: filters.course, group: filters.group }} />
      )}
      <div className="report-lines">
        <List
          label={shell('pages.reports')}
          query={list}
          columns={columns}
          rowKey={keyOf}
          empty={<NoLines report={report} text={t('access.noneText')} />}
        />
      </div>
    </LineReportPage>
  );
}
