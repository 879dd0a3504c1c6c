import { Alert, Button, Text } from '@mantine/core';
import { useState } from 'react';
import { useTranslations } from 'use-intl';
import { useApi } from '../../api/api.tsx';
import { namesOf } from '../../parts/choices.ts';
import { FilterBar, PeriodFilter, SearchFilter, SelectFilter, useFilters } from '../../parts/filters.tsx';
import { type Column, List } from '../../parts/list.tsx';
import { Page } from '../../parts/page.tsx';
import { refreshed } from '../../parts/paged.ts';
import { Message, NoneFound } from '../../parts/states.tsx';
import { Instant, Note } from '../../parts/values.tsx';
import { LearnerPicker } from '../enrolments/pickers.tsx';
import { instantOf } from '../webhooks/local-time.ts';
import { Connect } from './connect.tsx';
import { agentOf, cursorOf, lastPart, pageOf, type Statement, verbs } from './record.ts';
import { Sentence } from './sentence.tsx';
import { StatementDialog } from './statement.tsx';

const names = ['learner', 'verb', 'activity', 'enrolment', 'from', 'until'] as const;
const none = Object.fromEntries(names.map((name) => [name, undefined]));
const isIri = (text: string | undefined): text is string => /^[a-z][a-z0-9+.-]*:\S+$/i.test(text ?? '');
const isUuid = (text: string | undefined): text is string =>
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text ?? '');

function queryOf(filters: ReturnType<typeof useFilters<(typeof names)[number]>>[0]) {
  const [since, until] = [instantOf(filters.from), instantOf(filters.until)];
  return {
    limit: '50',
    ...(filters.learner ? { agent: agentOf(filters.learner) } : {}),
    ...(isIri(filters.verb) ? { verb: filters.verb } : {}),
    ...(isIri(filters.activity) ? { activity: filters.activity, related_activities: 'true' } : {}),
    ...(isUuid(filters.enrolment) ? { registration: filters.enrolment } : {}),
    ...(since ? { since } : {}),
    ...(until ? { until } : {}),
  };
}

function useStatements(query: ReturnType<typeof queryOf>) {
  const { $api } = useApi();
  return $api.useInfiniteQuery(
    'get',
    '/xapi/statements',
    { params: { query, header: { 'X-Experience-API-Version': '2.0.0' } } },
    {
      ...refreshed,
      pageParamName: 'cursor',
      getNextPageParam: cursorOf,
      select: ({ pages, pageParams }) => ({ pages: pages.map(pageOf), pageParams }),
    },
  );
}

function useColumns(open: (statement: Statement) => void): Column<Statement>[] {
  const t = useTranslations('statements');
  return [
    {
      key: 'what',
      onPhone: 'plain',
      header: t('what'),
      share: 80,
      cell: (statement) => (
        <>
          <Sentence statement={statement} />
          {statement.result?.response && <Note>{t('answer', { response: statement.result.response })}</Note>}
        </>
      ),
    },
    { key: 'at', header: t('at'), onPhone: 'plain', cell: ({ timestamp }) => <Instant at={timestamp} /> },
    {
      key: 'actions',
      header: t('actions'),
      isActions: true,
      align: 'end',
      cell: (statement) => (
        <Button size="compact-sm" variant="default" onClick={() => open(statement)}>
          {t('show')}
        </Button>
      ),
    },
  ];
}

/** The learning record store, newest statements first. */
export default function Statements() {
  const t = useTranslations('statements');
  const shell = useTranslations('shell');
  const [filters, change] = useFilters(names);
  const [opened, setOpened] = useState<Statement | null>(null);
  const list = useStatements(queryOf(filters));
  const clear = Object.keys(filters).length > 0 ? () => change(none) : undefined;
  return (
    <Page title={shell('pages.statements')} text={t('text')} actions={<Connect />}>
      <Filters filters={filters} change={change} onClear={clear} />
      {filters.enrolment && (
        <Alert color="gray" variant="light">
          <Text size="sm" className="break">
            {t('ofEnrolment', { id: filters.enrolment })}
          </Text>
        </Alert>
      )}
      <List
        label={shell('pages.statements')}
        query={list}
        columns={useColumns(setOpened)}
        rowKey={({ id = '' }) => id}
        empty={
          clear ? (
            <NoneFound title={t('noneFoundTitle')} text={t('noneFoundText')} onShowAll={clear} />
          ) : (
            <Message title={t('noneTitle')} text={t('noneText')} />
          )
        }
      />
      <StatementDialog
        statement={opened}
        onClose={() => setOpened(null)}
        onNarrow={(to) => {
          setOpened(null);
          change(to);
        }}
      />
    </Page>
  );
}

type FiltersProps = {
  filters: ReturnType<typeof useFilters<(typeof names)[number]>>[0];
  change: ReturnType<typeof useFilters<(typeof names)[number]>>[1];
  onClear: (() => void) | undefined;
};

function Filters({ filters, change, onClear }: FiltersProps) {
  const t = useTranslations('statements');
  const { verb } = filters;
  const known = namesOf(verbs).map((name) => ({ value: verbs[name], label: t(`verbs.${name}`) }));
  const isOther = isIri(verb) && !known.some(({ value }) => value === verb);
  const set = [verb, filters.activity, filters.from, filters.until].filter(Boolean).length;
  return (
    <FilterBar count={set} onClear={onClear}>
      <LearnerPicker
        label={t('person')}
        value={filters.learner}
        onChange={(learner) => change({ learner })}
        className="filter"
      />
      <SelectFilter
        label={t('verb')}
        value={verb}
        onChange={(verb) => change({ verb })}
        options={[...known, ...(isOther ? [{ value: verb, label: lastPart(verb) }] : [])]}
      />
      <SearchFilter
        label={t('activityId')}
        value={filters.activity}
        onChange={(activity) => change({ activity })}
      />
      <PeriodFilter labels={{ from: t('from'), until: t('until') }} values={filters} onChange={change} />
    </FilterBar>
  );
}
