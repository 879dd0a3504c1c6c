import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { nameOf } from '../../api/session.tsx';
import { namesOf } from '../../parts/choices.ts';
import {
  CsvButton,
  choiceFilter,
  dayFilter,
  FilteredList,
  ListFilterBar,
  useListFilters,
  useListRows,
} from '../../parts/filtered-list.tsx';
import { Page } from '../../parts/page.tsx';
import { isOrder } from '../../parts/sorting.tsx';
import { Message } from '../../parts/states.tsx';
import { usePeopleFilters } from '../users/people-filters.tsx';
import { LoginID, UserLink } from '../users/person.tsx';
import { useObligationColumns } from './columns.tsx';
import { ObligationDialog } from './obligation-dialog.tsx';
import { useRequirements } from './record.ts';
import { type Obligation, statusFilters } from './status.tsx';

/** Closed obligations are shown only on request. */
const current = 'not_due,due_soon,overdue,met,expiring,expired,exempt';

/** Who must do what, by when, and who has done it. */
export default function RequiredPeople() {
  const t = useTranslations('requirements');
  const o = useTranslations('obligations');
  const u = useTranslations('users');
  const shell = useTranslations('shell');
  const requirements = useRequirements();
  const [open, setOpen] = useState<Obligation | null>(null);
  const at = useListFilters(
    [
      choiceFilter(
        'status',
        t('status'),
        namesOf(statusFilters).map((value) => ({
          ...{ value, query: { Status: statusFilters[value] } },
          label: o(value === 'late' || value === 'open' || value === 'valid' ? value : `statuses.${value}`),
        })),
      ),
      {
        ...choiceFilter(
          'requirement',
          t('requirement'),
          requirements.map(({ RequirementID, Title }) => ({
            ...{ value: RequirementID, label: Title, query: {} },
          })),
        ),
        query: (RequirementID) => ({ RequirementID }),
      },
      ...usePeopleFilters(false),
      dayFilter('due', t('dueBy'), (DueBefore) => ({ DueBefore })),
    ],
    ['order'],
  );
  const order = isOrder(at.values.order) ? at.values.order : 'oldest';
  const rows = useListRows<Obligation>({
    path: '/obligation',
    at: { ...at, wanted: { Status: current, ...at.wanted } },
    order: { Order: order === 'newest' ? 'due_descending' : 'due' },
    rowKey: ({ LoginID, RequirementID, Cycle }) => JSON.stringify([LoginID, RequirementID, Cycle]),
    nameOf: ({ Title }) => Title,
  });
  const columns = useObligationColumns<Obligation>(setOpen);
  return (
    <Page title={shell('menu.requirements')} actions={<CsvButton rows={rows} />}>
      <ListFilterBar at={at} />
      <FilteredList
        label={shell('menu.requirements')}
        rows={rows}
        columns={[
          {
            key: 'person',
            header: u('name'),
            share: 26,
            cell: (row) =>
              row.LoginID === null ? (
                '–'
              ) : (
                <>
                  <UserLink loginId={row.LoginID}>{nameOf({ ...row, LoginID: row.LoginID })}</UserLink>
                  <LoginID name={nameOf({ ...row, LoginID: row.LoginID })} loginId={row.LoginID} />
                </>
              ),
          },
          ...columns,
        ]}
        sorts={[
          {
            column: 'due',
            order,
            first: 'oldest',
            onChange: (order) => at.change({ order }),
            texts: { newest: t('orders.newest'), oldest: t('orders.oldest') },
          },
        ]}
        noneFound={{ title: t('nobodyFound'), text: t('nobodyFoundText') }}
        none={<Message title={t('nobody')} text={t('nobodyText')} />}
      />
      {open && <ObligationDialog obligation={open} onClose={() => setOpen(null)} />}
    </Page>
  );
}
