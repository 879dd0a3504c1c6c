import { useTranslations } from 'use-intl';
import type { ListFilter } from '../../parts/filtered-list.tsx';
import { SearchFilter } from '../../parts/filters.tsx';
import { LearnerPicker } from '../enrolments/pickers.tsx';
import { GroupFilter } from './group.tsx';

/** A name and a value, as the API wants them; nothing as long as one of them is missing. */
function attributeOf(typed: string) {
  const [name = '', ...rest] = typed.split(':');
  const value = rest.join(':').trim();
  return name.trim() === '' || value === '' ? {} : { Attribute: `${name.trim()}:${value}` };
}

/** Filters of every list of people, or of what is theirs. */
export function usePeopleFilters(): [ListFilter, ...ListFilter[]] {
  const t = useTranslations('users');
  return [
    {
      name: 'group',
      query: (GroupName) => ({ GroupName }),
      field: (props) => <GroupFilter {...props} />,
    },
    {
      name: 'manager',
      query: (ManagerLoginID) => ({ ManagerLoginID }),
      field: (props) => <LearnerPicker label={t('manager')} {...props} />,
    },
    {
      name: 'attribute',
      query: attributeOf,
      field: (props) => (
        <SearchFilter label={t('attribute')} placeholder={t('attributeExample')} {...props} />
      ),
    },
  ];
}
