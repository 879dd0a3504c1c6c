import './reports.css';
import { Button, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { readRows } from '../../api/data.ts';
import { toFailure } from '../../api/problem.ts';
import { nameOf } from '../../api/session.tsx';
import { choiceOf } from '../../parts/choices.ts';
import { DownloadButton, withQuery } from '../../parts/download.tsx';
import {
  choiceFilter,
  dayFilter,
  ListFilterBar,
  type ListFilters,
  type Query,
  useListFilters,
} from '../../parts/filtered-list.tsx';
import { SearchFilter } from '../../parts/filters.tsx';
import { Page } from '../../parts/page.tsx';
import { PrintButton, type ReportColumn, ReportTable, useReportLines } from '../../parts/report-table.tsx';
import { Message } from '../../parts/states.tsx';
import { useRequirements } from '../requirements/record.ts';
import {
  type Compliance,
  type Obligation,
  type Scope,
  StatusBadge,
  useFigureColumns,
} from '../requirements/status.tsx';
import { useDayText } from '../requirements/words.ts';
import { ListedUser, LoginID, UserLink } from '../users/person.tsx';

const kinds = ['requirement', 'group', 'manager', 'attribute', 'person'] as const;
type Kind = (typeof kinds)[number];

const figures = [
  ...(['Overdue', 'Expired', 'DueSoon', 'NotDue', 'Expiring', 'Met', 'Exempt'] as const),
  ...(['Obligations', 'ValidPercent'] as const),
];

function useReportFilters() {
  const t = useTranslations('reports');
  const o = useTranslations('obligations');
  const requirements = useRequirements();
  return useListFilters(
    [
      {
        ...choiceFilter(
          'requirement',
          o('requirement'),
          requirements.map(({ RequirementID, Title }) => ({ value: RequirementID, label: Title, query: {} })),
        ),
        query: (RequirementID) => ({ RequirementID }),
      },
      choiceFilter(
        'by',
        t('by'),
        kinds.slice(1).map((value) => ({ value, label: t(`compliance.${value}`), query: {} })),
        t('compliance.requirement'),
      ),
      {
        name: 'attribute',
        query: () => ({}),
        field: (props) => <AttributeFilter {...props} />,
        isHidden: ({ by }) => by !== 'attribute',
      },
      dayFilter('day', t('asOf'), (AsOf) => ({ AsOf })),
    ],
    ['sort', 'order'],
  );
}

type FilterProps = Omit<Parameters<typeof SearchFilter>[0], 'label'>;

/** The names that some users have are suggestions: others may have more. */
function AttributeFilter(props: FilterProps) {
  const t = useTranslations('reports.compliance');
  const { $api } = useApi();
  const users = $api.useQuery('get', '/user', { params: { query: { Limit: 200 } } }).data?.Items ?? [];
  const names = new Set(users.flatMap(({ Attributes }) => Object.keys(Attributes)));
  return <SearchFilter label={t('attribute')} suggestions={[...names].sort()} {...props} />;
}

/** Who complies, by requirement, group, manager, attribute or person, today or on any past day. */
export default function ComplianceReport() {
  const t = useTranslations('reports');
  const list = useTranslations('list');
  const shell = useTranslations('shell');
  const at = useReportFilters();
  const kind = choiceOf(kinds, at.values.by) ?? 'requirement';
  const asked: Query =
    kind === 'person'
      ? { Present: true, RequirementID: at.values.requirement, AsOf: at.values.day }
      : {
          ...at.wanted,
          By: kind,
          ...(kind === 'attribute' && { Attribute: at.values.attribute }),
        };
  const isNamed = kind !== 'attribute' || at.values.attribute !== undefined;
  return (
    <Page
      title={shell('pages.reports')}
      actions={
        isNamed && (
          <>
            <PrintButton />
            <DownloadButton
              path={withQuery(kind === 'person' ? '/obligation' : '/report/compliance', asked)}
              accept="text/csv"
              name="compliance.csv"
              text={list('csv')}
            />
          </>
        )
      }
    >
      <ListFilterBar at={at} />
      {!isNamed ? (
        <Text size="sm" c="dimmed">
          {t('compliance.nameAttribute')}
        </Text>
      ) : kind === 'person' ? (
        <PeopleTable query={asked} at={at} />
      ) : (
        <LinesTable kind={kind} query={asked} at={at} />
      )}
    </Page>
  );
}

type LinesProps = { kind: Exclude<Kind, 'person'>; query: Query; at: ListFilters };

function LinesTable({ kind, query, at }: LinesProps) {
  const t = useTranslations('reports');
  const { values } = at;
  const lines = useReportLines<Compliance>('/report/compliance', query);
  const { Attribute: _, ...ofAll } = query;
  const total = useReportLines<Compliance>('/report/compliance', { ...ofAll, By: 'total' }).data?.lines[0];
  const keyOf = (line: Compliance) =>
    ({
      ...{ requirement: line.Title ?? line.RequirementID, group: line.GroupName },
      ...{ manager: line.ManagerLoginID, attribute: line.AttributeValue },
    })[kind];
  const scopeOf = (line: Compliance): Scope => {
    const { requirement, day } = values;
    const then = day === undefined ? {} : { day };
    const only = { ...then, ...(requirement !== undefined && { requirement }) };
    if (line === total) return only;
    if (kind === 'requirement')
      return line.RequirementID === null ? then : { ...then, requirement: line.RequirementID };
    if (kind === 'group') return { ...only, group: line.GroupName ?? '' };
    if (kind === 'manager') return { ...only, manager: line.ManagerLoginID ?? '' };
    return { ...only, attribute: `${values.attribute}:${line.AttributeValue ?? ''}` };
  };
  const counts = useFigureColumns<Compliance>(figures, (line) => line, scopeOf);
  const columns: ReportColumn<Compliance>[] = [
    {
      key: 'of',
      header: t(`compliance.${kind}`),
      share: 24,
      value: keyOf,
      cell: (line) =>
        kind === 'manager' && line.ManagerLoginID !== null ? (
          <ListedUser loginId={line.ManagerLoginID} />
        ) : (
          <span className="break">{keyOf(line) ?? t('compliance.none')}</span>
        ),
    },
    ...counts.map((column, index) => ({
      ...column,
      value: (line: Compliance) => line[figures[index] ?? 'Obligations'],
    })),
  ];
  return (
    <ComplianceTable
      at={at}
      lines={lines}
      columns={columns}
      rowKey={(line) => String(keyOf(line))}
      total={total}
    />
  );
}

type TableProps<Row> = { at: ListFilters } & Omit<Parameters<typeof ReportTable<Row>>[0], 'label' | 'empty'>;

/** The table, with the day that it shows. */
function ComplianceTable<Row>({ at: { values, change }, ...table }: TableProps<Row>) {
  const t = useTranslations('reports.compliance');
  const dayText = useDayText();
  if (toFailure(table.lines.error).param === 'AsOf')
    return (
      <Message title={t('future')} text={t('futureText')}>
        <Button onClick={() => change({ day: undefined })}>{t('today')}</Button>
      </Message>
    );
  return (
    <div className="report-lines">
      {values.day !== undefined && (
        <Text size="sm" c="dimmed">
          {t('past', { day: dayText(values.day) })}
        </Text>
      )}
      <ReportTable
        {...table}
        label={t('title')}
        empty={<Message title={t('empty')} text={t('emptyText')} />}
      />
    </div>
  );
}

const maxColumns = 8;

type Person = { LoginID: string; name: string; of: ReadonlyMap<string, Obligation>; late: number };

/** One line for each person, with a column for each requirement. */
function PeopleTable({ query, at }: { query: Query; at: ListFilters }) {
  const t = useTranslations('reports');
  const api = useApi();
  const o = useTranslations('obligations');
  const lines = useQuery({
    queryKey: ['people and requirements', query],
    queryFn: async () => {
      const people = new Map<string, Map<string, Obligation>>();
      for (const row of await readRows<Obligation>(api, '/obligation', query)) {
        if (row.LoginID === null) continue;
        const known = people.get(row.LoginID) ?? new Map();
        known.set(row.RequirementID, row);
        people.set(row.LoginID, known);
      }
      const lines = [...people].map(([LoginID, of]): Person => {
        const rows = [...of.values()];
        const late = rows.filter(({ Status }) => Status === 'overdue' || Status === 'expired').length;
        const [first] = rows;
        return { LoginID, of, late, name: first ? nameOf({ ...first, LoginID }) : LoginID };
      });
      return { lines: lines.sort((a, b) => b.late - a.late), isCut: false };
    },
  });
  const titles = new Map(
    lines.data?.lines.flatMap(({ of }) =>
      [...of.values()].map(({ RequirementID, Title }) => [RequirementID, Title]),
    ),
  );
  const columns: ReportColumn<Person>[] = [
    {
      key: 'person',
      header: t('compliance.person'),
      value: ({ name }) => name,
      cell: ({ LoginID: loginId, name }) => (
        <>
          <UserLink loginId={loginId}>{name}</UserLink>
          <LoginID name={name} loginId={loginId} />
        </>
      ),
    },
    {
      key: 'late',
      header: o('late'),
      align: 'end',
      value: ({ late }) => late,
      cell: ({ late }) => <span className="number">{late}</span>,
    },
    ...[...titles].slice(0, maxColumns).map(
      ([id, header]): ReportColumn<Person> => ({
        key: id,
        header,
        value: ({ of }) => of.get(id)?.Status ?? null,
        cell: ({ of }) => {
          const one = of.get(id);
          return one ? <StatusBadge status={one.Status} /> : '–';
        },
      }),
    ),
  ];
  return <ComplianceTable at={at} lines={lines} columns={columns} rowKey={({ LoginID }) => LoginID} />;
}
