import { useTranslations } from 'use-intl';
import { nameOf } from '../../api/session.tsx';
import {
  CsvButton,
  dayFilter,
  FilteredList,
  ListFilterBar,
  useListFilters,
  useListRows,
} from '../../parts/filtered-list.tsx';
import { Page } from '../../parts/page.tsx';
import { PrintButton } from '../../parts/report-table.tsx';
import { Message } from '../../parts/states.tsx';
import { CoursePicker } from '../enrolments/pickers.tsx';
import { usePeopleFilters } from '../users/people-filters.tsx';
import { LoginID, UserLink } from '../users/person.tsx';
import { keyOf, type TrainingRecord, useRecordColumns } from './columns.tsx';

/** What was completed in these days, here and elsewhere, and nothing else. */
export default function Completed() {
  const t = useTranslations('records');
  const shell = useTranslations('shell');
  const at = useListFilters([
    dayFilter('from', t('from'), (From) => ({ From })),
    dayFilter('to', t('to'), (To) => ({ To })),
    {
      name: 'course',
      query: (CourseID) => ({ CourseID }),
      field: (props) => <CoursePicker {...props} />,
    },
    ...usePeopleFilters(),
  ]);
  const rows = useListRows<TrainingRecord>({ path: '/report/record', at, counts: false, rowKey: keyOf });
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
