import './reports.css';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { paged } from '../../parts/paged.ts';
import { Bar } from './bar.tsx';
import { Count } from './count.tsx';
import { figures, type Kind, keyOf, type Line, type Scope, scopeOf } from './figures.ts';
import { LineReportPage, NoLines, PastDay, useLineReport, usePlaceColumns } from './line-report.tsx';
import { Summary } from './summary.tsx';

function useColumns(kind: Kind, scopeOf: (line: Line) => Scope): Column<Line>[] {
  const t = useTranslations('reports');
  const place = usePlaceColumns(kind);
  return [
    ...place,
    { key: 'rate', header: t('completionRate'), cell: (line) => <Bar line={line} /> },
    {
      key: 'enrolments',
      header: t('enrolments'),
      align: 'end',
      cell: (line) => <Count count={line.Enrolments} scope={scopeOf(line)} label={t('enrolments')} />,
    },
    ...figures.map(
      ({ figure, status }): Column<Line> => ({
        key: figure,
        header: t(`figures.${figure}`),
        align: 'end',
        cell: (line) => (
          <Count
            count={line[figure]}
            scope={scopeOf(line)}
            filter={{ status }}
            label={t(`figures.${figure}`)}
          />
        ),
      }),
    ),
  ];
}

/** Completion by course and group, now or at the end of a past day. */
export default function Reports() {
  const t = useTranslations('reports');
  const shell = useTranslations('shell');
  const { $api } = useApi();
  const report = useLineReport();
  const { kind, today, day, asked, query, wanted, filters } = report;
  const list = $api.useInfiniteQuery('get', '/report/completion', { params: { query } }, paged);
  const total = $api.useQuery('get', '/report/completion', { params: { query: { By: 'total', ...asked } } });
  const [sum] = total.data?.Items ?? [];
  const columns = useColumns(kind, (line) => scopeOf(line, wanted));
  return (
    <LineReportPage report={report} name="completion">
      <PastDay day={day} text="past" />
      {sum && (
        <Summary
          line={sum}
          scope={day ? null : { course: filters.course, group: filters.group }}
          today={today}
        />
      )}
      <div className="report-lines">
        <List
          label={shell('pages.reports')}
          query={list}
          columns={columns}
          rowKey={keyOf}
          empty={<NoLines report={report} text={t('noneText')} />}
        />
      </div>
    </LineReportPage>
  );
}
