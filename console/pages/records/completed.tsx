import { useTranslations } from 'use-intl';
import { nameOf } from '../../api/session.tsx';
import {
  CsvButton,
  dayFilter,
  FilteredList,
  type ListFilter,
  ListFilterBar,
  useListFilters,
  useListRows,
} from '../../parts/filtered-list.tsx';
import { useFilters } from '../../parts/filters.tsx';
import { Page } from '../../parts/page.tsx';
import { PrintButton } from '../../parts/report-table.tsx';
import { Message } from '../../parts/states.tsx';
import { CoursePicker } from '../enrolments/pickers.tsx';
import { useToday } from '../reports/use-today.ts';
import { usePeopleFilters } from '../users/people-filters.tsx';
import { LoginID, UserLink } from '../users/person.tsx';
import { keyOf, type TrainingRecord, useRecordColumns } from './columns.tsx';

/** Shows this day if none is chosen. */
const shown = (filter: ListFilter, day: string): ListFilter => ({
  ...filter,
  field: (props) => filter.field({ ...props, value: props.value ?? day }),
});

const addDays = (day: string, days: number) =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

/** What was completed in these days, here and elsewhere, and nothing else. */
export default function Completed() {
  const t = useTranslations('records');
  const shell = useTranslations('shell');
  const [{ from, to }] = useFilters(['from', 'to']);
  const today = useToday();
  const To = to ?? today;
  const days = { From: from ?? addDays(To, -29), To };
  const at = useListFilters([
    shown(
      dayFilter('from', t('from'), (From) => ({ From })),
      days.From,
    ),
    shown(
      dayFilter('to', t('to'), (To) => ({ To })),
      days.To,
    ),
    {
      name: 'course',
      query: (CourseID) => ({ CourseID }),
      field: (props) => <CoursePicker {...props} />,
    },
    ...usePeopleFilters(),
  ]);
  const rows = useListRows<TrainingRecord>({
    path: '/report/record',
    at: { ...at, wanted: { ...days, ...at.wanted } },
    counts: false,
    rowKey: keyOf,
  });
  return (
    <Page
      title={shell('pages.reports')}
      text={t('completedText')}
      actions={
        <>
          <PrintButton />
          <CsvButton rows={rows} />
        </>
      }
    >
      <ListFilterBar at={at} />
      <FilteredList
        label={shell('pages.completed')}
        rows={rows}
        columns={[
          {
            key: 'person',
            header: t('person'),
            share: 20,
            cell: (row) => (
              <>
                <UserLink loginId={row.LoginID}>{nameOf(row)}</UserLink>
                <LoginID name={nameOf(row)} loginId={row.LoginID} />
              </>
            ),
          },
          ...useRecordColumns(),
        ]}
        noneFound={{ title: t('none'), text: t('noneFoundText') }}
        none={<Message title={t('none')} text={t('noneFoundText')} />}
      />
    </Page>
  );
}
