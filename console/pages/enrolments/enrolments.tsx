import { Anchor, Button, Text, TextInput } from '@mantine/core';
import { IconCalendarPlus, IconPlus } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { nameOf } from '../../api/session.tsx';
import { choiceOf, namesOf } from '../../parts/choices.ts';
import { DownloadButton, withQuery } from '../../parts/download.tsx';
import { FilterBar, SearchFilter, SelectFilter, useFilters } from '../../parts/filters.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { paged } from '../../parts/paged.ts';
import { SelectionBar, useSelection } from '../../parts/selection.tsx';
import { Message, NoneFound } from '../../parts/states.tsx';
import { Instant } from '../../parts/values.tsx';
import { GroupFilter } from '../users/group.tsx';
import { LoginID } from '../users/person.tsx';
import { AccessDialog } from './access-dialog.tsx';
import { useEnrolmentColumns } from './columns.tsx';
import { useEnrolmentOrder } from './order.ts';
import { CoursePicker } from './pickers.tsx';
import type { ListedEnrolment } from './values.tsx';

const names = ['search', 'course', 'status', 'group', 'before', 'by', 'order'] as const;
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
  const { LoginID: loginId, EnrollID } = row;
  const name = nameOf(row);
  return (
    <>
      <Anchor
        className="break"
        inherit
        renderRoot={(props) => (
          <Link
            to="/console/enrolments/$loginId/$enrollId"
            params={{ loginId, enrollId: EnrollID }}
            {...props}
          />
        )}
      >
        {name}
      </Anchor>
      <LoginID name={name} loginId={loginId} />
    </>
  );
}

function useColumns(): Column<ListedEnrolment>[] {
  const t = useTranslations('enrolments');
  const shared = useEnrolmentColumns();
  return [
    { key: 'learner', header: t('learner'), share: 32, cell: (row) => <Learner {...row} /> },
    {
      key: 'course',
      header: t('course'),
      share: 26,
      cell: ({ CourseTitle }) => <span className="break">{CourseTitle}</span>,
    },
    ...shared,
    { key: 'enrolled', header: t('enrolledAt'), cell: ({ EnrolledAt }) => <Instant at={EnrolledAt} isDay /> },
  ];
}

/** The start of the day in the viewer's time zone, unless a time follows; null if the date is invalid. */
function instantOf(day: string | undefined): string | null {
  const instant = new Date(day?.includes('T') ? day : `${day}T00:00`);
  return Number.isNaN(instant.getTime()) ? null : instant.toISOString();
}

export default function Enrolments() {
  const t = useTranslations('enrolments');
  const o = useTranslations('outcomes');
  const u = useTranslations('users');
  const shell = useTranslations('shell');
  const { $api } = useApi();
  const columns = useColumns();
  const [filters, change] = useFilters(names);
  const [isChanging, setChanging] = useState(false);
  const before = instantOf(filters.before);
  const state = choiceOf(stateNames, filters.status);
  const wanted = {
    ...(filters.search ? { Search: filters.search } : {}),
    ...(filters.course ? { CourseID: filters.course } : {}),
    ...(state ? states[state] : {}),
    ...(filters.group ? { GroupName: filters.group } : {}),
    ...(before ? { ExpiresBefore: before } : {}),
  };
  const { sorts, by, query: sorting } = useEnrolmentOrder(filters, before !== null, change);
  const filtered = { ...wanted, ...sorting.filter };
  const query = { ...filtered, Order: sorting.order };
  const list = $api.useInfiniteQuery('get', '/enrolment', { params: { query } }, paged);
  const counted = { params: { query: { ...filtered, Limit: 1, Count: true } } };
  const { data: all } = $api.useQuery('get', '/enrolment', counted, { enabled: list.hasNextPage });
  const ticked = useSelection<ListedEnrolment>({
    rowKey: ({ EnrollID }) => EnrollID,
    nameOf: (row) => t('nameOf', { user: nameOf(row), course: row.CourseTitle }),
    path: '/enrolment',
    query: filtered,
    all: list.hasNextPage ? all?.Count?.Records : undefined,
  });
  const isFiltered = Object.keys(wanted).length > 0;
  const clear = () =>
    change({
      ...{ search: undefined, course: undefined, status: undefined },
      ...{ group: undefined, before: undefined, by: undefined, order: undefined },
    });
  const known = { group: filters.group, course: filters.course };
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
          <DownloadButton
            path={withQuery('/enrolment', query)}
            accept="text/csv"
            name="enrolments.csv"
            text={t('csv')}
          />
          {enrol}
        </>
      }
    >
      <FilterBar
        count={[filters.course, filters.status, filters.group, filters.before].filter(Boolean).length}
        onClear={isFiltered ? clear : undefined}
      >
        <SearchFilter label={u('search')} value={filters.search} onChange={(search) => change({ search })} />
        <CoursePicker value={filters.course} onChange={(course) => change({ course })} className="filter" />
        <SelectFilter
          label={t('status')}
          value={filters.status}
          onChange={(status) => change({ status })}
          options={stateNames.map((value) => ({
            value,
            label: isGroup(value) ? t(`states.${value}`) : o(value),
          }))}
        />
        <GroupFilter value={filters.group} onChange={(group) => change({ group })} />
        <TextInput
          type="date"
          label={t('endsBefore')}
          value={filters.before?.slice(0, 10) ?? ''}
          onChange={(event) => change({ before: event.currentTarget.value || undefined })}
          className="filter"
        />
      </FilterBar>
      <SelectionBar label={t('chosenLabel')} text={(count) => t('chosen', { count })} ticked={ticked}>
        <Button
          size="xs"
          leftSection={<IconCalendarPlus size={16} aria-hidden />}
          onClick={() => setChanging(true)}
        >
          {t('access.button')}
        </Button>
      </SelectionBar>
      {by === 'ends' && !before && (
        <Text size="sm" c="dimmed" role="note" mb="xs">
          {t('onlyEnding')}
        </Text>
      )}
      <List
        selection={ticked.selection}
        sorts={sorts}
        count={all?.Count}
        label={shell('pages.enrolments')}
        query={list}
        columns={columns}
        rowKey={({ EnrollID }) => EnrollID}
        empty={
          isFiltered ? (
            <NoneFound title={t('noneFound')} text={t('noneFoundText')} onShowAll={clear} />
          ) : (
            <Message title={t('none')} text={t('noneText')}>
              {enrol}
            </Message>
          )
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
