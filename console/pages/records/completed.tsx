import { useTranslations } from 'use-intl';
import { fullName } from '../../../standards/full-name.ts';
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
import { UserLink } from '../users/person.tsx';
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
            cell: ({ LoginID, FirstName, LastName }) => (
              <UserLink loginId={LoginID}>{fullName(FirstName, LastName) || LoginID}</UserLink>
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
