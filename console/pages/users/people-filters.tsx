import { useTranslations } from 'use-intl';
import type { ListFilter } from '../../parts/filtered-list.tsx';
import { SearchFilter } from '../../parts/filters.tsx';
import { LearnerPicker } from '../enrolments/pickers.tsx';
import { GroupFilter } from './group.tsx';

/** A name and a value, as the API wants them; nothing as long as the name is not complete. No value: people without one. */
function attributeOf(typed: string) {
  const [name = '', ...rest] = typed.split(':');
  return name.trim() === '' || rest.length === 0
    ? {}
    : { Attribute: `${name.trim()}:${rest.join(':').trim()}` };
}

/** Filters of every list of people, or of what is theirs. */
export function usePeopleFilters(): [ListFilter, ...ListFilter[]] {
  const t = useTranslations('users');
  return [
    {
      name: 'group',
      query: (GroupName) => ({ GroupName }),
      findsNone: true,
      field: (props) => <GroupFilter {...props} />,
    },
    {
      name: 'manager',
      query: (ManagerLoginID) => ({ ManagerLoginID }),
      findsNone: true,
      field: (props) => (
        <LearnerPicker
          label={t('manager')}
          {...props}
          {...(props.value === '' && { placeholder: t('noManager') })}
        />
      ),
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
