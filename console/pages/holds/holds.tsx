import { useTranslations } from 'use-intl';
import {
  CsvButton,
  FilteredList,
  ListFilterBar,
  useListFilters,
  useListRows,
} from '../../parts/filtered-list.tsx';
import { SearchFilter } from '../../parts/filters.tsx';
import { Page } from '../../parts/page.tsx';
import { Message } from '../../parts/states.tsx';
import { LearnerPicker } from '../enrolments/pickers.tsx';
import { UserName } from '../users/person.tsx';
import { useHoldColumns } from './columns.tsx';
import type { Hold } from './record.ts';

/** All legal holds of the tenant, the newest first. */
export default function Holds() {
  const t = useTranslations('holds');
  const at = useListFilters([
    {
      name: 'login',
      query: (LoginID) => ({ LoginID }),
      field: (props) => <LearnerPicker {...props} />,
    },
    {
      name: 'hold',
      query: (HoldID) => ({ HoldID }),
      field: (props) => <SearchFilter label={t('id')} {...props} />,
    },
  ]);
  const rows = useListRows<Hold>({
    path: '/hold',
    at,
    order: { Order: 'newest' },
    rowKey: ({ LoginID, HoldID }) => `${LoginID}/${HoldID}`,
  });
  const columns = useHoldColumns();
  return (
    <Page title={t('title')} text={t('text')} actions={<CsvButton rows={rows} />}>
      <ListFilterBar at={at} />
      <FilteredList
        label={t('title')}
        rows={rows}
        columns={[
          {
            key: 'person',
            header: t('person'),
            share: 24,
            cell: ({ LoginID }) => <UserName loginId={LoginID} />,
          },
          ...columns,
        ]}
        noneFound={{ title: t('noneFound'), text: t('noneFoundText') }}
        none={<Message title={t('none')} text={t('noneText')} />}
      />
    </Page>
  );
}
