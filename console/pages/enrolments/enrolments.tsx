import { Button, Text } from '@mantine/core';
import { IconCalendarPlus, IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
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
  searchFilter,
  useListFilters,
  useListRows,
} from '../../parts/filtered-list.tsx';
import type { Column } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { SelectionBar } from '../../parts/selection.tsx';
import { Message } from '../../parts/states.tsx';
import { Instant } from '../../parts/values.tsx';
import { usePeopleFilters } from '../users/people-filters.tsx';
import { LoginID } from '../users/person.tsx';
import { AccessDialog } from './access-dialog.tsx';
import { useEnrolmentColumns } from './columns.tsx';
import { EnrolmentLink } from './enrolment-link.tsx';
import { useEnrolmentOrder } from './order.ts';
import { CoursePicker } from './pickers.tsx';
import type { ListedEnrolment } from './values.tsx';

/** What the filter offers. Figures of the access report count by the state of access, all others by outcome. */
const states = {
  open: { Status: 'open' },
  overdue: { Status: 'expired' },
  not_started: { Outcome: 'not_started' },
  in_progress: { Outcome: 'in_progress' },
  done: { Outcome: 'passed,completed' },
  passed: { Outcome: 'passed' },
  completed: { Outcome: 'completed' },
  failed: { Outcome: 'failed' },
  expired: { Outcome: 'expired' },
  withdrawn: { Outcome: 'withdrawn' },
} as const;
const stateNames = namesOf(states);

const isGroup = (name: string): name is 'open' | 'overdue' | 'done' =>
  ['open', 'overdue', 'done'].includes(name);

function Learner(row: ListedEnrolment) {
  const name = nameOf(row);
  return (
    <>
      <EnrolmentLink of={row} text={name} />
      <LoginID name={name} loginId={row.LoginID} />
    </>
  );
}

function useColumns(): Column<ListedEnrolment>[] {
  const t = useTranslations('enrolments');
  const shared = useEnrolmentColumns();
  return [
    { key: 'learner', header: t('learner'), share: 30, cell: (row) => <Learner {...row} /> },
    {
      key: 'course',
      header: t('course'),
      share: 30,
      cell: ({ CourseTitle }) => <span className="break">{CourseTitle}</span>,
    },
    ...shared,
    {
      key: 'enrolled',
      header: t('enrolledAt'),
      onPhone: 'hidden',
      cell: ({ EnrolledAt }) => <Instant at={EnrolledAt} isDay />,
    },
  ];
}

/** The start of the day in the viewer's time zone, unless a time follows. */
function instantOf(day: string) {
  const instant = new Date(day.includes('T') ? day : `${day}T00:00`);
  return Number.isNaN(instant.getTime()) ? {} : { ExpiresBefore: instant.toISOString() };
}

export default function Enrolments() {
  const t = useTranslations('enrolments');
  const o = useTranslations('outcomes');
  const u = useTranslations('users');
  const shell = useTranslations('shell');
  const columns = useColumns();
  const [isChanging, setChanging] = useState(false);
  const [group, ...others] = usePeopleFilters();
  const at = useListFilters(
    [
      searchFilter(u('search')),
      {
        name: 'course',
        query: (CourseID) => ({ CourseID }),
        field: (props) => <CoursePicker {...props} />,
      },
      choiceFilter(
        'status',
        t('status'),
        stateNames.map((value) => ({
          ...{ value, query: states[value] },
          label: isGroup(value) ? t(`states.${value}`) : o(value),
        })),
      ),
      group,
      { ...dayFilter('before', t('endsBefore'), instantOf), replaces: 'due' },
      { ...dayFilter('due', t('dueBefore'), (DueBefore) => ({ DueBefore })), replaces: 'before' },
      ...others,
    ],
    ['by', 'order'],
  );
  const { values } = at;
  const { sorts, by, query: sorting } = useEnrolmentOrder(at);
  const rows = useListRows<ListedEnrolment>({
    path: '/enrolment',
    at: { ...at, wanted: { ...at.wanted, ...sorting.filter } },
    order: { Order: sorting.order },
    rowKey: ({ EnrollID }) => EnrollID,
    nameOf: (row) => t('nameOf', { user: nameOf(row), course: row.CourseTitle }),
  });
  const { ticked } = rows;
  const known = { group: values.group || undefined, course: values.course };
  const enrol = (
    <Button
      leftSection={<IconPlus size={16} aria-hidden />}
      renderRoot={(props) => <Link to="/console/enrol" search={known as never} {...props} />}
    >
      {t('enrol')}
    </Button>
  );
  return (
    <Page
      title={shell('pages.enrolments')}
      actions={
        <>
          <CsvButton rows={rows} />
          {enrol}
        </>
      }
    >
      <ListFilterBar at={at} />
      <SelectionBar label={t('chosenLabel')} text={(count) => t('chosen', { count })} ticked={ticked}>
        <Button
          size="xs"
          leftSection={<IconCalendarPlus size={16} aria-hidden />}
          onClick={() => setChanging(true)}
        >
          {t('access.button')}
        </Button>
      </SelectionBar>
      {by !== null && (
        <Text size="sm" c="dimmed" role="note" mb="xs">
          {t(by === 'ends' ? 'onlyEnding' : 'onlyDue')}
        </Text>
      )}
      <FilteredList
        label={shell('pages.enrolments')}
        rows={rows}
        columns={columns}
        sorts={sorts}
        isSelectable
        noneFound={{ title: t('noneFound'), text: t('noneFoundText') }}
        none={
          <Message title={t('none')} text={t('noneText')}>
            {enrol}
          </Message>
        }
      />
      {isChanging && (
        <AccessDialog
          title={t('access.titleOfMany', { count: ticked.count })}
          read={ticked.read}
          onClose={() => {
            setChanging(false);
            ticked.clear();
          }}
        />
      )}
    </Page>
  );
}
